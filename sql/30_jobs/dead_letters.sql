-- Jobs that ended without a result and were not cancelled, each with all of its deliveries.
create view pgagent.dead_letters with (security_invoker = true) as
select
  j.job_id,
  j.thread_id,
  j.queue,
  j.status,
  d.outcome,
  j.error,
  d.lost,
  d.failed,
  d.deliveries,
  j.payload,
  j.started_checkpoint_id,
  j.trace_id,
  j.created_at,
  j.started_at,
  j.completed_at
from pgagent.agent_jobs as j
cross join
  lateral (
    select
      count(*) filter (where a.outcome = 'lost') as lost,
      count(*) filter (where a.outcome in ('failed', 'timed_out')) as failed,
      (array_agg(a.outcome order by a.token desc))[1] as outcome,
      coalesce(
        jsonb_agg(
          jsonb_build_object(
            'token', a.token, 'attempt', a.attempt, 'worker', a.worker, 'outcome', a.outcome,
            'error', a.error, 'started_at', a.started_at, 'ended_at', a.ended_at
          )
          order by a.token
        ),
        '[]'
      ) as deliveries
    from pgagent.job_attempts as a
    where a.job_id = j.job_id
  ) as d
where j.status in ('FAILED', 'TIMED_OUT');

comment on view pgagent.dead_letters is
'Jobs that ended FAILED or TIMED_OUT, with the error of every delivery. requeue_job lets one run '
'again. agent_jobs_dead finds the newest: order by completed_at desc.';
comment on column pgagent.dead_letters.job_id is 'The job.';
comment on column pgagent.dead_letters.thread_id is 'Its thread.';
comment on column pgagent.dead_letters.queue is 'Its queue.';
comment on column pgagent.dead_letters.status is 'FAILED or TIMED_OUT.';
comment on column pgagent.dead_letters.outcome is
'How its last delivery ended: failed (the work did), lost (the worker went silent) or timed_out.';
comment on column pgagent.dead_letters.error is 'The last error.';
comment on column pgagent.dead_letters.lost is 'How many deliveries lost their worker.';
comment on column pgagent.dead_letters.failed is 'How many failed or took too long.';
comment on column pgagent.dead_letters.deliveries is
'Every delivery in order: token, attempt, worker, outcome, error, started_at, ended_at.';
comment on column pgagent.dead_letters.payload is 'Input of the run.';
comment on column pgagent.dead_letters.started_checkpoint_id is
'Null when the run never took its input in.';
comment on column pgagent.dead_letters.trace_id is 'Trace the run belongs to.';
comment on column pgagent.dead_letters.created_at is 'When it was enqueued.';
comment on column pgagent.dead_letters.started_at is 'When it was first claimed.';
comment on column pgagent.dead_letters.completed_at is 'When it ended.';
