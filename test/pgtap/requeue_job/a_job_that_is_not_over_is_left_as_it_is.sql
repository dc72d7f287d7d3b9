begin;
\ir ../_lib.sql
select plan(6);

select pgagent.enqueue_job('t', '{}');
select results_eq(
  'select status, requeued from pgagent.requeue_job(pg_temp.job(''t''))',
  $$values ('PENDING', false)$$
);
select fencing_token from pgagent.claim_job('w1');
select results_eq(
  'select status, requeued from pgagent.requeue_job(pg_temp.job(''t''))',
  $$values ('IN_PROGRESS', false)$$
);
select pgagent.cancel_job(pg_temp.job('t'), force => true);
select is((select requeued from pgagent.requeue_job(pg_temp.job('t'))), true);
select is((select requeued from pgagent.requeue_job(pg_temp.job('t'))), false, 'sent twice');
select is(
  (select count(*) from pgagent.session_events where kind = 'job_requeued'), 1::bigint
);
select fencing_token from pgagent.claim_job('w1');
select pgagent.complete_job(pg_temp.job('t'), 2);
select throws_ok('select pgagent.requeue_job(pg_temp.job(''t''))', 'PA005');

select * from finish();
rollback;
