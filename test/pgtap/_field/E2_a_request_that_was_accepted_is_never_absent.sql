-- The worker dies before its first checkpoint: the job is claimable again, with its input.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '{"question": 1}');
select fencing_token from pgagent.claim_job('w1');
select pgagent_test.advance('61 s');

select results_eq(
  $$select payload, started_checkpoint_id, attempt from pgagent.claim_job('w2')$$,
  $$values ('{"question": 1}'::jsonb, null::text, 2)$$
);

select * from finish();
rollback;
