begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select become('t_tenant');
set local pgagent.user_id = '';

select throws_ok($$select pgagent.append_event('t', 'x')$$, 'PA011');
select is_empty('select * from pgagent.agent_sessions');

select * from finish();
rollback;
