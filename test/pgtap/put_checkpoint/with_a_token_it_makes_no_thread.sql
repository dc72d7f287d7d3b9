begin;
\ir ../_lib.sql
select plan(2);

select throws_ok($$select pg_temp.put('t', 'c1', 1)$$, 'PA003');
select is_empty('select * from pgagent.agent_sessions');

select * from finish();
rollback;
