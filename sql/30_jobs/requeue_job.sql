-- Lets a job that has ended without a result run again: the same job, with its attempts counted
-- anew.
--
-- job_id:       the job, FAILED, TIMED_OUT or CANCELLED.
-- reason:       why, kept in the event (at most 1,000 bytes).
-- requeued_by:  who; the calling role by default.
-- delay:        not claimed before this time has passed.
-- max_attempts: deliveries without progress from now on; as before by default.
-- from_start:   true begins with the payload in any case. By default it goes on from its last
--               checkpoint, with the answers that people gave, unless another run has stored
--               checkpoints on the thread since: then it begins with the payload too. Edits made
--               without a run (update_state) do not count as one: the job goes on from them.
-- Returns:      the status of the job now (PENDING, or WAITING behind the thread's live job), and
--               whether this call requeued it; a job that is not over is left as it is.
-- Locks:        the session, then the job.
-- Raises:       PA008, PA009 bad arguments; PA003 no such job; PA011 somebody else's; PA005 it is
--               COMPLETED; PA006 archived.
-- Never fenced: tokens go on growing, and those of earlier deliveries stay stale. Safe to repeat
-- until it has ended again.
create function pgagent.requeue_job(
  job_id uuid, reason text default null, requeued_by text default null,
  delay interval default '0', max_attempts integer default null, from_start boolean default false
)
returns table (status text, requeued boolean)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_by text := coalesce(requeue_job.requeued_by, pgagent._tenant(), pgagent._caller());
  j pgagent.agent_jobs;
  s pgagent.agent_sessions;
begin
  if requeue_job.reason <> '' then
    perform pgagent._check_name('reason', requeue_job.reason, 'reason');
  end if;
  perform pgagent._check_name('requeued_by', v_by);
  perform pgagent._check_interval('delay', requeue_job.delay);
  if requeue_job.max_attempts < 1 then
    perform pgagent._raise(
      'PA008', 'max_attempts must be at least 1',
      format('max_attempts: %s', requeue_job.max_attempts)
    );
  end if;
  if requeue_job.from_start is null then
    perform pgagent._raise('PA008', 'from_start must be true or false');
  end if;
  j := pgagent._enter_job(requeue_job.job_id);

  if j.status = 'COMPLETED' then
    perform pgagent._raise(
      'PA005', 'the job is COMPLETED', format('job_id: %s', j.job_id),
      'Only a job without a result can run again: enqueue another.'
    );
  end if;
  if not pgagent._is_final(j.status) then
    return query select j.status, false;
    return;
  end if;

  update pgagent.agent_sessions as a
  set
    active_job_id = coalesce(a.active_job_id, j.job_id),
    status = case when a.active_job_id is null then 'IDLE' else a.status end,
    completed_at = null
  where a.thread_id = j.thread_id
  returning a.* into s;
  status := case s.active_job_id when j.job_id then 'PENDING' else 'WAITING' end;
  requeued := true;

  update pgagent.agent_jobs as b
  set
    status = requeue_job.status,
    attempt = 0,
    max_attempts = coalesce(requeue_job.max_attempts, b.max_attempts),
    available_at = pgagent._now() + requeue_job.delay,
    deadline_at = null,
    cancel_requested_at = null,
    cancelled_by = null,
    cancel_reason = null,
    completed_at = null,
    rolled_back_at = null
  where b.job_id = j.job_id;
  if requeue_job.from_start then
    perform pgagent._begin_anew(j.job_id);
  elsif requeue_job.status = 'PENDING' then
    perform pgagent._go_on(j.thread_id, j.job_id);
  end if;

  perform pgagent._log_job_event(
    j, 'job_requeued',
    jsonb_strip_nulls(jsonb_build_object(
      'status', requeue_job.status, 'was', j.status, 'by', v_by, 'reason', requeue_job.reason,
      'from_start', nullif(requeue_job.from_start, false),
      -- The row forgets the cancellation; this is where it is kept.
      'cancelled_by', j.cancelled_by, 'cancel_reason', j.cancel_reason
    ))
  );
  if requeue_job.delay = interval '0' then
    perform pgagent._wake(j.queue, requeue_job.status, j.job_id);
  end if;
  return next;
end
$$;

comment on function pgagent.requeue_job(uuid, text, text, interval, integer, boolean) is
'Lets a job that FAILED, TIMED_OUT or was CANCELLED run again, with its attempts counted anew.';

-- Makes a job begin with its payload when it is claimed next.
create function pgagent._begin_anew(job_id uuid)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  update pgagent.agent_jobs as j
  set
    started_checkpoint_id = null, progress_step = null, resume = null,
    began_anew_at = pgagent._now()
  where j.job_id = _begin_anew.job_id;
end
$$;

comment on function pgagent._begin_anew(uuid) is
'Makes a job begin with its payload when it is claimed next.';

-- Lets a job that had begun go on from where it stopped, if the thread still stands there: no other
-- run has stored a root checkpoint since. Else it begins anew, or a worker would take the state of
-- the other run for its own and complete it with that. Called when such a job becomes PENDING.
create function pgagent._go_on(thread_id text, job_id uuid)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_last_run uuid;
begin
  -- checkpoints_seq_is_unique, read backwards over edits of people
  select c.job_id into v_last_run
  from pgagent.checkpoints as c
  where c.thread_id = _go_on.thread_id
    and c.checkpoint_ns = ''
    and (c.job_id is not null or (c.metadata ->> 'source' in ('update', 'fork')) is not true)
  order by c.seq desc
  limit 1;
  if v_last_run is distinct from _go_on.job_id then
    perform pgagent._begin_anew(_go_on.job_id);
  end if;
end
$$;

comment on function pgagent._go_on(text, uuid) is
'Lets a requeued job go on where it stopped, or begin anew when another run came in between.';
