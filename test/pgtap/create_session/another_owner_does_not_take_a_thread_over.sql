begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t', 'alice');
select pgagent.create_session('u');

select throws_ok($$select pgagent.create_session('t', 'bob')$$, 'PA011');
select throws_ok($$select pgagent.create_session('u', 'bob')$$, 'PA011', null, 'without an owner');
select is((select count(*) from pgagent.sessions where user_id = 'bob'), 0::bigint);

select * from finish();
rollback;
