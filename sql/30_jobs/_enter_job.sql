-- Admits a person's call about a job, or says why not.
--
-- Returns: the job, as it is under the lock of its session.
-- Locks:   the session (by an UPDATE), then the job.
-- Raises:  PA008 no job_id; PA003 no such job; PA011 somebody else's; PA006 archived.
create function pgagent._enter_job(job_id uuid)
returns pgagent.agent_jobs
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_thread_id text;
  j pgagent.agent_jobs;
begin
  if _enter_job.job_id is null then
    perform pgagent._raise('PA008', 'job_id is required');
  end if;
  select b.thread_id into v_thread_id
  from pgagent.agent_jobs as b
  where b.job_id = _enter_job.job_id;
  if found then
    perform pgagent._enter(v_thread_id, null, fenced => false);
    select b.* into j
    from pgagent.agent_jobs as b
    where b.job_id = _enter_job.job_id
    for no key update of b;
  end if;
  if j.job_id is null then
    perform pgagent._raise('PA003', 'no such job', format('job_id: %s', _enter_job.job_id));
  end if;
  return j;
end
$$;

comment on function pgagent._enter_job(uuid) is
'Locks a session and one of its jobs for what a person asks, or raises the refusal.';

-- Writes the event of a move that no worker made, and what the thread shows from then on.
create function pgagent._log_job_event(
  job pgagent.agent_jobs, kind text, data jsonb, session_status text default null
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_seq bigint;
begin
  update pgagent.agent_sessions as a
  set
    last_event_seq = a.last_event_seq + 1,
    status = coalesce(session_status, a.status)
  where a.thread_id = job.thread_id
  returning a.last_event_seq into v_seq;
  perform pgagent._log_event(
    job.thread_id, v_seq, kind, data, job.job_id, job.attempt, job.trace_id
  );
end
$$;

comment on function pgagent._log_job_event(pgagent.agent_jobs, text, jsonb, text) is
'Writes an event about a job and, when given, the thread''s new status.';

-- Ends a job that no worker has.
--
-- ended_as: CANCELLED or TIMED_OUT.
-- kind, data: of its event.
-- promote:  false when the caller gives its place away itself.
-- Locks:    nothing more: the caller holds the session and the job; the thread's next waiting job.
create function pgagent._end_undelivered(
  job pgagent.agent_jobs, ended_as text, kind text, data jsonb, promote boolean default true,
  error jsonb default null
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  update pgagent.agent_jobs as b
  set
    status = ended_as, waiting_for = null, error = coalesce(_end_undelivered.error, b.error),
    completed_at = pgagent._now()
  where b.job_id = job.job_id;
  perform pgagent._void_approvals(job.job_id);
  perform pgagent._log_job_event(job, kind, data);
  if promote and job.status <> 'WAITING' then
    perform pgagent._promote(job.thread_id, ended_as, job.status);
  end if;
  perform pgagent._wake(job.queue, ended_as, job.job_id);
end
$$;

comment on function pgagent._end_undelivered(
  pgagent.agent_jobs, text, text, jsonb, boolean, jsonb
) is
'Ends a job that no worker has: job, event and the thread''s place.';
