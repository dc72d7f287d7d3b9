begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '{}');
select pgagent.cancel_job(pg_temp.job('t'), 'changed my mind', 'alice');

select results_eq(
  $$
    select cancelled_by, cancel_reason, cancel_requested_at is not null from pgagent.agent_jobs
  $$,
  $$values ('alice' collate "C", 'changed my mind', true)$$
);
select results_eq(
  'select kind, data from pgagent.session_events order by seq desc limit 1',
  $$
    values (
      'job_cancelled' collate "C", '{"by": "alice", "reason": "changed my mind"}'::jsonb
    )
  $$
);

select * from finish();
rollback;
