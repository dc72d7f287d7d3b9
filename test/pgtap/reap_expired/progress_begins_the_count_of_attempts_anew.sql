begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', lease => '1 us', max_attempts => 1);
select pg_temp.put('t', 'c1', 1, step => 3);
update pgagent.agent_jobs set lease_expires_at = pgagent._now();
select pgagent.reap_expired();
select is(pg_temp.status_of('t'), 'PENDING');

select fencing_token from pgagent.claim_job('w2', lease => '1 us');
select pg_temp.put('t', 'c2', 2, step => 3);
update pgagent.agent_jobs set lease_expires_at = pgagent._now();
select pgagent.reap_expired();
select is(pg_temp.status_of('t'), 'FAILED', 'the same step again is none');

select * from finish();
rollback;
