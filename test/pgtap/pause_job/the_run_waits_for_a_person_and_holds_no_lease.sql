begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');

select is(pgagent.pause_job(pg_temp.job('t'), 1, '{"q": "refund?"}'), 'AWAITING_HUMAN');
select results_eq(
  'select status, waiting_for, lease_owner, lease_expires_at, attempt from pgagent.agent_jobs',
  $$
    values (
      'AWAITING_HUMAN' collate "C", '{"q": "refund?"}'::jsonb, null::text collate "C",
      null::timestamptz, 0
    )
  $$
);
select results_eq(
  'select status, owner_token, active_job_id from pgagent.sessions',
  $$values ('AWAITING_HUMAN' collate "C", null::bigint, pg_temp.job('t'))$$
);

select * from finish();
rollback;
