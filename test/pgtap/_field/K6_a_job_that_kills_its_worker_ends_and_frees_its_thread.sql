begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '"poison"', max_attempts => 2);
select pgagent.enqueue_job('t', '"next"');
select fencing_token from pgagent.claim_job('w1');
select pgagent_test.advance('61 s');
select fencing_token from pgagent.claim_job('w1');
select pgagent_test.advance('61 s');

select is((select payload from pgagent.claim_job('w1')), '"next"'::jsonb);
select results_eq(
  'select status, error ->> ''type'' from pgagent.agent_jobs where seq = 1',
  $$values ('FAILED' collate "C", 'lost')$$
);

select * from finish();
rollback;
