begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '1', idempotency_key => 'k', on_busy => 'reject');

select is(
  (
    select enqueued
    from pgagent.enqueue_job('t', '1', idempotency_key => 'k', on_busy => 'reject')
  ), false
);

select * from finish();
rollback;
