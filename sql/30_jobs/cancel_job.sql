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

  update pgagent.agent_jobs as b
  set
    cancel_requested_at = coalesce(b.cancel_requested_at, pgagent._now()),
    cancelled_by = coalesce(b.cancelled_by, v_by),
    cancel_reason = coalesce(b.cancel_reason, cancel_job.reason)
  where b.job_id = j.job_id;

  if j.status <> 'IN_PROGRESS' then
    update pgagent.agent_jobs as b
    set status = 'CANCELLED', waiting_for = null, completed_at = pgagent._now()
    where b.job_id = j.job_id;
    perform pgagent._void_approvals(j.job_id);
    perform pgagent._log_job_event(
      j, 'job_cancelled', jsonb_build_object('by', v_by, 'reason', cancel_job.reason)
    );
    if j.status <> 'WAITING' then
      perform pgagent._promote(j.thread_id, 'CANCELLED', j.status);
    end if;
    perform pgagent._wake(j.queue, 'CANCELLED', j.job_id);
    return query select 'cancelled', 'CANCELLED';
  elsif cancel_job.force then
    return query
    select
      'cancelled',
      pgagent._end_delivery(j.job_id, j.fencing_token, 'cancelled', 'CANCELLED');
  else
    if j.cancel_requested_at is null then
      perform pgagent._log_job_event(
        j, 'job_cancel_requested', jsonb_build_object('by', v_by, 'reason', cancel_job.reason)
      );
    end if;
    return query select 'requested', j.status;
  end if;
end
$$;

comment on function pgagent.cancel_job(uuid, text, text, boolean) is
'Cancels a run, or asks a running one to stop; says which.';
