begin;
\ir ../_lib.sql
select plan(4);

select throws_ok($$select pgagent.enqueue_job('t', '1', idempotency_key => '')$$, 'PA008');
select pgagent.enqueue_job('t', '1', idempotency_key => 'k');
select fencing_token from pgagent.claim_job('w1');
select results_eq(
  $$select status, enqueued from pgagent.enqueue_job('t', '1', idempotency_key => 'k')$$,
  $$values ('IN_PROGRESS', false)$$, 'while it runs'
);
select throws_ok(
  $$select pgagent.enqueue_job('t', '2', idempotency_key => 'k')$$, 'PA004', null, 'other payload'
);
select pgagent.delete_session('t');
select is(
  (select enqueued from pgagent.enqueue_job('t', '2', idempotency_key => 'k')), true,
  'a deletion takes the key with the job'
);

select * from finish();
rollback;
