begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('t', '1');
select pgagent.enqueue_job('t', '2');
select pgagent.enqueue_job('u', '3');

select is((select payload from pgagent.claim_job('w1')), '1'::jsonb);
select is((select payload from pgagent.claim_job('w2')), '3'::jsonb, 'another thread');
select is_empty($$select * from pgagent.claim_job('w3')$$);
select pgagent.complete_job(job_id, 1) from pgagent.agent_jobs where payload = '1';
select results_eq(
  $$select payload, fencing_token from pgagent.claim_job('w3')$$,
  $$values ('2'::jsonb, 2::bigint)$$
);

select * from finish();
rollback;
