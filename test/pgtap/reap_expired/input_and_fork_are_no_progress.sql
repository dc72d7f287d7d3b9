-- Each delivery may take the input in again, or a poison job would never die.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', lease => '1 us', max_attempts => 1);
select pg_temp.put('t', 'c1', 1, source => 'input', step => -1);
select pg_temp.put('t', 'c2', 1, source => 'fork', step => 5);
select pg_temp.put('t', 'c3', 1, source => 'update', step => 6);
select pg_temp.put('t', 'c4', 1, ns => 'sub', step => 7);
update pgagent.agent_jobs set lease_expires_at = pgagent._now();
select pgagent.reap_expired();

select is(pg_temp.status_of('t'), 'FAILED');

select * from finish();
rollback;
