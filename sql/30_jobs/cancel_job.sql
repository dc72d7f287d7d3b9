-- Cancels a run.
--
-- job_id:       the run.
-- reason:       why, kept on the job (at most 1,000 bytes).
-- cancelled_by: who; the calling role by default.
-- force:        ends a running job at once instead of asking it to stop.
-- Returns:      outcome: 'cancelled' (it was waiting, or force), 'requested' (it is running: it
--               learns at its next renewal and ends CANCELLED) or 'ended' (it was over already);
--               and the status of the job now.
-- Locks:        the session, the job, the thread's next waiting job.
-- Raises:       PA008, PA009 bad arguments; PA003 no such job; PA011 somebody else's; PA006
--               archived.
-- Never fenced. Safe to repeat.
create function pgagent.cancel_job(
  job_id uuid, reason text default null, cancelled_by text default null,
  force boolean default false
)
returns table (outcome text, status text)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  j pgagent.agent_jobs;
  v_by text := coalesce(cancel_job.cancelled_by, pgagent._tenant(), pgagent._caller());
begin
  if cancel_job.force is null then
    perform pgagent._raise('PA008', 'force must be true or false');
  end if;
  if cancel_job.reason <> '' then
    perform pgagent._check_name('reason', cancel_job.reason, 'reason');
  end if;
  perform pgagent._check_name('cancelled_by', v_by);
  j := pgagent._enter_job(cancel_job.job_id);

  if pgagent._is_final(j.status) then
    return query select 'ended', j.status;
    return;
  end if;

  if j.status = 'IN_PROGRESS' and not cancel_job.force then
    if j.cancel_requested_at is null then
      perform pgagent._note_cancellation(j.job_id, v_by, cancel_job.reason);
      perform pgagent._log_job_event(
        j, 'job_cancel_requested', jsonb_build_object('by', v_by, 'reason', cancel_job.reason)
      );
    end if;
    return query select 'requested', j.status;
  else
    perform pgagent._cancel(j, v_by, cancel_job.reason);
    return query select 'cancelled', 'CANCELLED';
  end if;
end
$$;

comment on function pgagent.cancel_job(uuid, text, text, boolean) is
'Cancels a run, or asks a running one to stop; says which.';

-- Notes who asked for a cancellation and why; the first who did stands.
create function pgagent._note_cancellation(job_id uuid, cancelled_by text, reason text)
returns void
language sql
volatile
begin atomic
  update pgagent.agent_jobs as b
  set
    cancel_requested_at = coalesce(b.cancel_requested_at, pgagent._now()),
    cancelled_by = coalesce(b.cancelled_by, _note_cancellation.cancelled_by),
    cancel_reason = case
      when b.cancelled_by is null then _note_cancellation.reason else b.cancel_reason
    end
  where b.job_id = _note_cancellation.job_id;
end;

comment on function pgagent._note_cancellation(uuid, text, text) is
'Notes on a job who asked for its cancellation and why; the first who did stands.';

-- Ends a live or waiting job CANCELLED at once, whoever runs it. The caller holds session and job.
--
-- promote: false when the caller gives its place away itself.
create function pgagent._cancel(
  job pgagent.agent_jobs, cancelled_by text, reason text, promote boolean default true
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._note_cancellation(job.job_id, cancelled_by, reason);
  if job.status = 'IN_PROGRESS' then
    perform pgagent._end_delivery(
      job.job_id, job.fencing_token, 'cancelled', 'CANCELLED', promote => promote
    );
  else
    perform pgagent._end_undelivered(
      job, 'CANCELLED', 'job_cancelled',
      jsonb_build_object('by', cancelled_by, 'reason', reason), promote
    );
  end if;
end
$$;

comment on function pgagent._cancel(pgagent.agent_jobs, text, text, boolean) is
'Ends a live or waiting job CANCELLED at once.';
