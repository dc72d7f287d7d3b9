begin;
\ir ../_lib.sql
select plan(3);

select results_eq(
  $$select status, enqueued from pgagent.enqueue_job('t', '{"input": 1}')$$,
  $$values ('PENDING', true)$$
);
select results_eq(
  $$
    select
      queue, payload, config, status, priority, attempt, max_attempts, seq, lease_owner,
      available_at = created_at
    from pgagent.agent_jobs
  $$,
  $$
    values (
      'default' collate "C", '{"input": 1}'::jsonb, '{}'::jsonb, 'PENDING' collate "C", 0::smallint,
      0, 3, 1::bigint, null::text collate "C", true
    )
  $$
);
select results_eq(
  'select status, active_job_id, fencing_token, user_id from pgagent.agent_sessions',
  $$values ('IDLE' collate "C", pg_temp.job('t'), 0::bigint, null::text collate "C")$$
);

select * from finish();
rollback;
