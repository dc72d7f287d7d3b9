begin;
\ir ../_lib.sql
select plan(4);

select job_id from pgagent.enqueue_job('t', '{"b": 1, "a": 2}', idempotency_key => 'k') \gset

select results_eq(
  $$select * from pgagent.enqueue_job('t', '{"a": 2, "b": 1}', idempotency_key => 'k')$$,
  format($$values (%L::uuid, 'PENDING', false)$$, :'job_id')
);
select fencing_token from pgagent.claim_job('w1');
select results_eq(
  $$select * from pgagent.enqueue_job('t', '{"a": 2, "b": 1}', idempotency_key => 'k')$$,
  format($$values (%L::uuid, 'IN_PROGRESS', false)$$, :'job_id'), 'while it runs'
);
select pgagent.complete_job(:'job_id', 1);
select results_eq(
  $$select * from pgagent.enqueue_job('t', '{"a": 2, "b": 1}', idempotency_key => 'k')$$,
  format($$values (%L::uuid, 'COMPLETED', false)$$, :'job_id'), 'and when it has ended'
);
select is((select last_job_seq from pgagent.sessions), 1::bigint, 'no number is lost');

select * from finish();
rollback;
