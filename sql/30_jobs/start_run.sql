-- Begins a run on a thread at once, for request handlers: enqueues a job and claims it in one step.
--
-- thread_id, payload, config, trace_id: as for enqueue_job.
-- worker, lease: as for claim_job.
-- queue:   the queue it goes back to when it is released or its lease runs out.
-- on_busy: reject, interrupt or rollback, as for enqueue_job.
-- Returns: the job with its fencing token, as claim_job does.
-- Locks:   the session, then the job.
-- Raises:  PA008, PA009 bad arguments; PA011 not a service role; PA006 archived; PA001 another job
--          of the thread is live, and on_busy = 'reject'; PA005 as enqueue_job.
-- Not safe to repeat: a second call finds the thread busy.
create function pgagent.start_run(
  thread_id text, worker text, payload jsonb default '{}', queue text default 'default',
  lease interval default '60 s', config jsonb default '{}', timeout interval default null,
  step_timeout interval default null, max_attempts integer default 3, trace_id text default null,
  on_busy text default 'reject', retry_base interval default null, retry_cap interval default null
)
returns table (
  job_id uuid, fencing_token bigint, lease_left interval, deadline_left interval
)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  j pgagent.agent_jobs;
  v_event_seq bigint;
begin
  perform pgagent._check_claim(
    start_run.worker, array[start_run.queue], 1, start_run.lease
  );
  if start_run.on_busy is null or start_run.on_busy not in ('reject', 'interrupt', 'rollback') then
    perform pgagent._raise(
      'PA008', 'on_busy must be reject, interrupt or rollback',
      format('on_busy: %s', coalesce(left(start_run.on_busy, 100), 'null')),
      'A run that is to wait for the thread is enqueued, and claimed.'
    );
  end if;
  select e.job_id into start_run.job_id
  from pgagent.enqueue_job(
    start_run.thread_id, start_run.payload, queue => start_run.queue, config => start_run.config,
    max_attempts => start_run.max_attempts, timeout => start_run.timeout,
    step_timeout => start_run.step_timeout, on_busy => start_run.on_busy,
    trace_id => start_run.trace_id,
    retry_base => start_run.retry_base, retry_cap => start_run.retry_cap
  ) as e;

  update pgagent.agent_sessions as a
  set
    status = 'RUNNING',
    fencing_token = a.fencing_token + 1,
    owner_token = a.fencing_token + 1,
    progress_step = null,
    last_event_seq = a.last_event_seq + 1
  where a.thread_id = start_run.thread_id
  returning a.fencing_token, a.last_event_seq into start_run.fencing_token, v_event_seq;
  v_now := pgagent._now();

  update pgagent.agent_jobs as b
  set
    status = 'IN_PROGRESS',
    attempt = 1,
    fencing_token = start_run.fencing_token,
    lease_owner = start_run.worker,
    lease = start_run.lease,
    claimed_at = v_now,
    started_at = v_now,
    deadline_at = v_now + b.timeout,
    step_deadline_at = v_now + b.step_timeout,
    lease_expires_at = least(
      v_now + start_run.lease, v_now + b.timeout, v_now + b.step_timeout
    )
  where b.job_id = start_run.job_id
  returning b.* into j;
  perform pgagent._log_event(
    j.thread_id, v_event_seq, 'job_claimed',
    jsonb_build_object('worker', start_run.worker, 'token', start_run.fencing_token),
    j.job_id, j.attempt, j.trace_id
  );
  lease_left := j.lease_expires_at - v_now;
  deadline_left := j.deadline_at - v_now;
  return next;
end
$$;

comment on function pgagent.start_run(
  text, text, jsonb, text, interval, jsonb, interval, interval, integer, text, text, interval,
  interval
) is
'Begins a run on a free thread at once and returns its fencing token; PA001 when the thread is '
'busy.';
