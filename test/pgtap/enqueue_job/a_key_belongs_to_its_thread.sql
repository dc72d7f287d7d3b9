begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '"of alice"', idempotency_key => 'k');

select results_eq(
  $$select status, enqueued from pgagent.enqueue_job('u', '"of bob"', idempotency_key => 'k')$$,
  $$values ('PENDING', true)$$
);

select * from finish();
rollback;
