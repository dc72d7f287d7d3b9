-- Takes back jobs whose lease ran out: PENDING again, or over when their deadline passed or they
-- were delivered max_attempts times without progress. Ends jobs that wait for their next delivery
-- past their deadline, and approvals whose deadline has passed, see expire_approvals. claim_job does
-- this by itself; a schedule is for when no worker asks.
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
as $$
declare
  v_now timestamptz := pgagent._now();
  v_count bigint := 0;
  v_outcome text;
  v_status text;
  r record;
begin
  perform pgagent._expire_approvals(max_jobs);
  -- agent_jobs_leased
  for r in
    select j.*, pgagent._has_progressed(s.progress_step, j.progress_step) as progressed
    from pgagent.agent_jobs as j
    join pgagent.agent_sessions as s on s.thread_id = j.thread_id
    where j.status = 'IN_PROGRESS' and j.lease_expires_at <= v_now
    order by j.lease_expires_at
    limit max_jobs
    for no key update of s skip locked
    for no key update of j skip locked
  loop
    v_outcome := case
      when r.deadline_at <= v_now or r.step_deadline_at <= v_now then 'timed_out' else 'lost'
    end;
    v_status := case
      when r.deadline_at <= v_now then 'TIMED_OUT'
      when r.attempt >= r.max_attempts and not r.progressed then 'FAILED'
      else 'PENDING'
    end;
    perform pgagent._end_delivery(
      r.job_id, r.fencing_token, v_outcome, v_status,
      error => jsonb_build_object(
        'type', v_outcome,
        'message', case v_outcome
          when 'lost' then format('worker %s was silent for longer than its lease', r.lease_owner)
          else format('worker %s passed the deadline of the job or of its step', r.lease_owner)
        end
      )
    );
    v_count := v_count + 1;
  end loop;

  -- agent_jobs_overdue
  for r in
    select j.*
    from pgagent.agent_jobs as j
    join pgagent.agent_sessions as s on s.thread_id = j.thread_id
    where j.status = 'PENDING' and j.deadline_at <= v_now
    order by j.deadline_at
    limit max_jobs - v_count
    for no key update of s skip locked
    for no key update of j skip locked
  loop
    perform pgagent._end_undelivered(
      (select j from pgagent.agent_jobs as j where j.job_id = r.job_id), 'TIMED_OUT',
      'job_timed_out', null
    );
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

comment on function pgagent._reap(integer) is
'Takes back jobs whose lease ran out, for reap_expired and claims; returns how many.';
