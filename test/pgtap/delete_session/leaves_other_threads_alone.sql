begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(3);

select pg_temp.busy_thread('t');
select pg_temp.busy_thread('u');
select pgagent.delete_session('t');

select is((select count(*) from pgagent.agent_jobs), 1::bigint);
select is((select count(*) from pgagent.checkpoints), 1::bigint);
select is(pg_temp.put('u', 'c2', 2), 2::bigint);

select * from finish();
rollback;
