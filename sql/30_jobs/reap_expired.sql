-- Takes back jobs whose lease ran out: PENDING again, or over when their deadline passed or they
-- were delivered max_attempts times without progress. Ends jobs whose deadline passed while they
-- waited for another delivery, and approvals whose deadline has passed, see expire_approvals.
-- claim_job does this by itself; a schedule is for when no worker asks.
--
-- max_jobs: how many at most, 1 to 10,000.
-- Returns:  how many jobs it took back or ended.
-- Locks:    the session, then the job, then the thread's next waiting job; skips what is locked,
--           never waits.
-- Raises:   PA008, PA009 bad arguments; PA011 not a service role.
-- Safe to repeat, and to run twice at once.
create function pgagent.reap_expired(max_jobs integer default 100)
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._require_service();
  perform pgagent._check_max_jobs(max_jobs, 'batch');
  return pgagent._reap(max_jobs);
end
$$;

comment on function pgagent.reap_expired(integer) is
'Takes back jobs whose lease ran out; returns how many.';

-- The body of reap_expired, which claims also use: arguments and caller are checked already.
create function pgagent._reap(max_jobs integer)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := pgagent._now();
  v_count bigint := 0;
  r record;
begin
  perform pgagent._expire_approvals(max_jobs);
  -- agent_jobs_expiring
  for r in
    select j as job, pgagent._has_progressed(s.progress_step, j.progress_step) as progressed
    from pgagent.agent_jobs as j
    join pgagent.agent_sessions as s on s.thread_id = any(array[j.thread_id])
    where coalesce(j.lease_expires_at, j.deadline_at) <= v_now
      and j.completed_at is null
      and j.status <> 'AWAITING_HUMAN'
    order by coalesce(j.lease_expires_at, j.deadline_at)
    limit max_jobs
    for no key update of s skip locked
    for no key update of j skip locked
  loop
    v_count := v_count + 1;
    perform pgagent._take_back(r.job, r.progressed);
  end loop;
  return v_count;
end
$$;

comment on function pgagent._reap(integer) is
'Takes back jobs whose lease ran out, for reap_expired and claims; returns how many.';

-- Takes back one job whose lease ran out or whose deadline has passed. The caller holds session and
-- job.
--
-- progressed: whether its delivery has stored a step beyond those before it.
create function pgagent._take_back(job pgagent.agent_jobs, progressed boolean)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := pgagent._now();
  v_outcome text := case
    when job.deadline_at <= v_now or job.step_deadline_at <= v_now then 'timed_out' else 'lost'
  end;
  v_error jsonb := jsonb_build_object(
    'type', v_outcome,
    'message', case
      when job.status <> 'IN_PROGRESS' then 'the deadline of the job passed before another delivery'
      when v_outcome = 'lost'
        then format('worker %s was silent for longer than its lease', job.lease_owner)
      else format('worker %s passed the deadline of the job or of its step', job.lease_owner)
    end
  );
begin
  if job.status <> 'IN_PROGRESS' then
    perform pgagent._end_undelivered(
      job, 'TIMED_OUT', 'job_timed_out',
      jsonb_build_object('status', 'TIMED_OUT', 'error', v_error), error => v_error
    );
    return;
  end if;
  perform pgagent._end_delivery(
    job.job_id, job.fencing_token, v_outcome,
    case
      when job.deadline_at <= v_now then 'TIMED_OUT'
      when job.attempt >= job.max_attempts and not progressed then 'FAILED'
      else 'PENDING'
    end,
    error => v_error
  );
end
$$;

comment on function pgagent._take_back(pgagent.agent_jobs, boolean) is
'Takes back a job whose lease ran out, or ends it when its deadline has passed.';
