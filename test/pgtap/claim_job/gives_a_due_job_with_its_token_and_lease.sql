begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job(
  't', '{"input": 1}', config => '{"model": "m"}', trace_id => 'trace1', max_attempts => 4,
  timeout => '1 hour'
);

select results_eq(
  $$
    select
      job_id = pg_temp.job('t'), thread_id, payload, config, attempt, max_attempts, fencing_token,
      lease_left, deadline_left, started_checkpoint_id, resume, trace_id,
      traceparent
    from pgagent.claim_job('w1')
  $$,
  $$
    values (
      true, 't', '{"input": 1}'::jsonb, '{"model": "m"}'::jsonb, 1, 4, 1::bigint, interval '60 s',
      interval '1 hour', null, null::jsonb, 'trace1', null
    )
  $$
);
select results_eq(
  $$
    select
      status, lease_owner, fencing_token, attempt, lease_expires_at - claimed_at,
      started_at = claimed_at
    from pgagent.agent_jobs
  $$,
  $$
    values (
      'IN_PROGRESS' collate "C", 'w1' collate "C", 1::bigint, 1, interval '60 s', true
    )
  $$
);
select results_eq(
  'select status, fencing_token, owner_token, active_job_id from pgagent.agent_sessions',
  $$values ('RUNNING' collate "C", 1::bigint, 1::bigint, pg_temp.job('t'))$$
);

select * from finish();
rollback;
