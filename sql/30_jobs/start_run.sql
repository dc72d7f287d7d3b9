-- Begins a run on a thread at once, for request handlers: enqueues a job and claims it in one step.
--
-- thread_id, payload, config, trace_id, traceparent: as for enqueue_job.
-- worker, lease: as for claim_job.
-- queue:   the queue it goes back to when it is released or its lease runs out. Pauses and limits
--          of the queue do not hold this run back, and it takes no place.
-- on_busy: reject, interrupt or rollback, as for enqueue_job.
-- single_delivery: true when nobody can go on from where this run ends, as within the handler of
--          a request: it is FAILED, and the thread free, when its lease runs out or it is released.
-- A live run of the thread whose lease ran out is taken back first.
-- Returns: the job with its fencing token, as claim_job does.
-- Locks:   the session, then the job.
-- Raises:  PA008, PA009 bad arguments; PA011 not a service role; PA006 archived; PA001 another job
--          of the thread is live, and on_busy = 'reject'; PA005 as enqueue_job.
-- Not safe to repeat: a second call finds the thread busy.
create function pgagent.start_run(
  thread_id text, worker text, payload jsonb default '{}', queue text default 'default',
  lease interval default '60 s', config jsonb default '{}', timeout interval default null,
  step_timeout interval default null, max_attempts integer default 3, trace_id text default null,
  on_busy text default 'reject', retry_base interval default null,
  retry_cap interval default null, single_delivery boolean default false,
  traceparent text default null
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
  j pgagent.agent_jobs;
  r record;
begin
  perform pgagent._check_claim(
    start_run.worker, array[start_run.queue], 1, start_run.lease
  );
  if start_run.single_delivery is null then
    perform pgagent._raise('PA008', 'single_delivery must be true or false');
  end if;
  if start_run.on_busy is null or start_run.on_busy not in ('reject', 'interrupt', 'rollback') then
    perform pgagent._raise(
      'PA008', 'on_busy must be reject, interrupt or rollback',
      format('on_busy: %s', coalesce(left(start_run.on_busy, 100), 'null')),
      'A run that is to wait for the thread is enqueued, and claimed.'
    );
  end if;
  -- There may be no worker whose claims take back what the last run of the thread left.
  for r in
    select b as job, pgagent._has_progressed(s.progress_step, b.progress_step) as progressed
    from pgagent.agent_sessions as s
    join pgagent.agent_jobs as b on b.job_id = any(array[s.active_job_id])
    where s.thread_id = start_run.thread_id
      and coalesce(b.lease_expires_at, b.deadline_at) <= pgagent._now()
      and b.status <> 'AWAITING_HUMAN'
    for no key update of s
    for no key update of b
  loop
    perform pgagent._take_back(r.job, r.progressed);
  end loop;
  select e.job_id into start_run.job_id
  from pgagent.enqueue_job(
    start_run.thread_id, start_run.payload, queue => start_run.queue, config => start_run.config,
    max_attempts => start_run.max_attempts, timeout => start_run.timeout,
    step_timeout => start_run.step_timeout, on_busy => start_run.on_busy,
    trace_id => start_run.trace_id, traceparent => start_run.traceparent,
    retry_base => start_run.retry_base, retry_cap => start_run.retry_cap
  ) as e;

  if start_run.single_delivery then
    update pgagent.agent_jobs as b
    set single_delivery = true
    where b.job_id = start_run.job_id;
  end if;
  j := pgagent._begin_delivery(
    start_run.job_id, start_run.thread_id, start_run.worker, start_run.lease
  );
  fencing_token := j.fencing_token;
  lease_left := j.lease_expires_at - j.claimed_at;
  deadline_left := j.deadline_at - j.claimed_at;
  return next;
end
$$;

comment on function pgagent.start_run(
  text, text, jsonb, text, interval, jsonb, interval, interval, integer, text, text, interval,
  interval, boolean, text
) is
'Begins a run on a free thread at once and returns its fencing token; PA001 when the thread is '
'busy.';
