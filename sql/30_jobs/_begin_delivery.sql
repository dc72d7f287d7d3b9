-- Gives a job to a worker, with the next fencing token of its thread. The caller holds the session,
-- by an update or a lock, and has seen that the job may be given. Claims without rules do the same
-- in one statement with finding it (see _claim). Without sequential scans: the check of a foreign
-- key is planned once in a session, and would scan all sessions if there were none then.
create function pgagent._begin_delivery(
  job_id uuid, thread_id text, worker text, lease interval
)
returns pgagent.agent_jobs
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_token bigint;
  v_event_seq bigint;
  j pgagent.agent_jobs;
begin
  update pgagent.agent_sessions as a
  set
    status = 'RUNNING',
    fencing_token = a.fencing_token + 1,
    owner_token = a.fencing_token + 1,
    progress_step = (
      select b.progress_step from pgagent.agent_jobs as b where b.job_id = _begin_delivery.job_id
    ),
    last_event_seq = a.last_event_seq + 1,
    last_activity_at = greatest(a.last_activity_at, pgagent._now()),
    active_hour = date_bin('1 hour', greatest(a.last_activity_at, pgagent._now()), 'epoch')
  where a.thread_id = _begin_delivery.thread_id
  returning a.fencing_token, a.last_event_seq into v_token, v_event_seq;
  v_now := pgagent._now();

  update pgagent.agent_jobs as b
  set
    status = 'IN_PROGRESS',
    attempt = b.attempt + 1,
    fencing_token = v_token,
    lease_owner = worker,
    lease = _begin_delivery.lease,
    claimed_at = v_now,
    started_at = coalesce(b.started_at, v_now),
    deadline_at = coalesce(b.deadline_at, v_now + b.timeout),
    step_deadline_at = v_now + b.step_timeout,
    lease_expires_at = least(
      v_now + _begin_delivery.lease, coalesce(b.deadline_at, v_now + b.timeout),
      v_now + b.step_timeout
    )
  where b.job_id = _begin_delivery.job_id
  returning b.* into j;
  perform pgagent._log_event(
    j.thread_id, v_event_seq, 'job_claimed',
    jsonb_build_object('worker', worker, 'token', v_token), j.job_id, j.attempt, j.trace_id
  );
  return j;
end
$$;

comment on function pgagent._begin_delivery(uuid, text, text, interval) is
'Gives a job to a worker: session, job and event.';
