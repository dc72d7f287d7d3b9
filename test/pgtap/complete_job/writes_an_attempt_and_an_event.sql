begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.complete_job(pg_temp.job('t'), 1);

select results_eq(
  $$
    select job_id = pg_temp.job('t'), token, attempt, worker, outcome, job_status, error,
      ended_at > started_at
    from pgagent.job_attempts
  $$,
  $$
    values (
      true, 1::bigint, 1, 'w1' collate "C", 'completed' collate "C", 'COMPLETED' collate "C",
      null::jsonb, true
    )
  $$
);
select results_eq(
  'select kind, data from pgagent.session_events order by seq desc limit 1',
  $$values ('job_completed' collate "C", '{"status": "COMPLETED"}'::jsonb)$$
);

select * from finish();
rollback;
