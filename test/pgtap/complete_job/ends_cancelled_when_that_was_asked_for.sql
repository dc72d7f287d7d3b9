begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select pgagent.cancel_job(pg_temp.job('t'), cancelled_by => 'alice');

select is(pgagent.complete_job(pg_temp.job('t'), 1, '"late"'), 'CANCELLED');
select results_eq(
  'select status, result, completed_at is not null from pgagent.agent_jobs',
  $$values ('CANCELLED' collate "C", null::jsonb, true)$$
);
select results_eq(
  'select status, active_job_id, completed_at from pgagent.sessions',
  $$values ('IDLE' collate "C", null::uuid, null::timestamptz)$$
);
select is(
  pgagent.complete_job(pg_temp.job('t'), 1), 'CANCELLED', 'a second call is told the same'
);

select * from finish();
rollback;
