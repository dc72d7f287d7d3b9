-- In the row itself: no table of workers whose entry may be gone, or taken over by another process.
begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');

select throws_ok('update pgagent.agent_jobs set lease_expires_at = null', '23514');
select throws_ok('update pgagent.agent_jobs set fencing_token = null', '23514');
select pgagent_test.advance('61 s');
select is(
  (select fencing_token from pgagent.claim_job('w1')), 2::bigint,
  'the same worker name gets another token'
);

select * from finish();
rollback;
