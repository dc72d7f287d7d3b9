begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '1', idempotency_key => 'k', on_busy => 'interrupt');
select pgagent.claim_job('w1');
select is(
  (select enqueued from pgagent.enqueue_job(
    't', '1', idempotency_key => 'k', on_busy => 'interrupt'
  )), false
);
select is(pg_temp.status_of('t'), 'IN_PROGRESS');

select * from finish();
rollback;
