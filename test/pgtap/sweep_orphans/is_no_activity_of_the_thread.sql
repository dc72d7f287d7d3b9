-- And it ends no run: what it holds is the lock.
begin;
\ir ../_lib.sql
\ir _orphans.sql
select plan(2);

select pg_temp.with_orphans('t');
select pg_temp.run('t');
select pgagent_test.advance('2 days');
create temporary table before as select * from pgagent.agent_sessions;

select pgagent.sweep_orphans();
select results_eq('table before', 'table pgagent.agent_sessions');
select is(pg_temp.left_of('t'), array[2, 3, 1]::bigint[]);

select * from finish();
rollback;
