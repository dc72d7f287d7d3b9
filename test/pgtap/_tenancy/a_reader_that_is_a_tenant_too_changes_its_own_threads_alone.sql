begin;
\ir ../_lib.sql
select plan(5);

create role t_both;
grant t_reader, t_tenant to t_both;
select pgagent.create_session('t', 'alice');
select become('t_both');
set local pgagent.user_id = 'bob';

select is((select count(*) from pgagent.agent_sessions), 1::bigint, 'it sees everything');
select throws_ok($$select pgagent.delete_session('t')$$, 'PA011');
select throws_ok($$select pgagent.append_message('t', 'user', '"x"')$$, 'PA011');
select throws_ok($$select pgagent.create_session('u', 'carol')$$, 'PA011');
select lives_ok($$select pgagent.create_session('u', 'bob')$$);

select * from finish();
rollback;
