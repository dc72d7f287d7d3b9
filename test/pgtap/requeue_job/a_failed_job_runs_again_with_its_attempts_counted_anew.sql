begin;
\ir ../_lib.sql
select plan(5);

select pgagent.enqueue_job('t', '"poison"', max_attempts => 1);
select fencing_token from pgagent.claim_job('w1');
select pgagent.fail_job(pg_temp.job('t'), 1, '{"type": "Fault"}');

select results_eq(
  'select status, requeued from pgagent.requeue_job(pg_temp.job(''t''))',
  $$values ('PENDING', true)$$
);
select results_eq(
  'select attempt, completed_at, error ->> ''type'' from pgagent.agent_jobs',
  $$values (0, null::timestamptz, 'Fault')$$,
  'the last error stays until there is another'
);
select results_eq(
  'select status, active_job_id, completed_at from pgagent.agent_sessions',
  $$values ('IDLE' collate "C", pg_temp.job('t'), null::timestamptz)$$
);
select results_eq(
  'select payload, attempt, fencing_token from pgagent.claim_job(''w2'')',
  $$values ('"poison"'::jsonb, 1, 2::bigint)$$,
  'the same job, under the next token'
);
select is(pgagent.complete_job(pg_temp.job('t'), 2), 'COMPLETED');

select * from finish();
rollback;
