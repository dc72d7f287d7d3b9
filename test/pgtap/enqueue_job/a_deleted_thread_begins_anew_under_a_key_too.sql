begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '1', idempotency_key => 'k');
select pgagent.delete_session('t');

select is((select enqueued from pgagent.enqueue_job('t', '1', idempotency_key => 'k')), true);

select * from finish();
rollback;
