-- Ends what nobody decided in time: the approval is TIMED_OUT, and so is the run that asked; the
-- thread's next job gets its place. Never an approval: an answer that the run does not expect might
-- pass for one. Claims do this by themselves; a schedule is for when no worker asks.
--
-- max_approvals: how many at most, 1 to 10,000.
-- Returns:       how many it ended.
-- Locks:         the session, then the job, then the thread's next waiting job; skips what is
--                locked, never waits for a session.
-- Raises:        PA008, PA009 bad arguments; PA011 not a service role.
-- Safe to repeat, and to run twice at once.
create function pgagent.expire_approvals(max_approvals integer default 100)
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._require_service();
  if (max_approvals >= 1) is not true then
    perform pgagent._raise(
      'PA008', 'max_approvals must be at least 1',
      format('max_approvals: %s', coalesce(max_approvals::text, 'null'))
    );
  end if;
  if max_approvals > pgagent._limit('batch') then
    perform pgagent._raise(
      'PA009', format('max_approvals must be at most %s', pgagent._limit('batch')),
      format('limit: batch, max_approvals: %s', max_approvals), 'See pgagent.limits.'
    );
  end if;
  return pgagent._expire_approvals(max_approvals);
end
$$;

comment on function pgagent.expire_approvals(integer) is
'Ends approvals whose deadline has passed, and the runs that asked, as TIMED_OUT; says how many.';

-- The body of expire_approvals, which claims also use: arguments and caller are checked already.
create function pgagent._expire_approvals(max_approvals integer)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
  v_count bigint := 0;
  v_ids uuid[];
  a pgagent.approvals;
  j pgagent.agent_jobs;
begin
  -- approvals_expiring
  select array_agg(d.approval_id) into v_ids
  from (
    select p.approval_id
    from pgagent.approvals as p
    join pgagent.agent_sessions as s on s.thread_id = p.thread_id
    where p.status = 'PENDING' and p.expires_at <= v_now
    order by p.expires_at
    limit max_approvals
    for no key update of s skip locked
  ) as d;
  if v_ids is null then
    return 0;
  end if;

  for a in
    update pgagent.approvals as p
    set status = 'TIMED_OUT', decided_at = v_now
    where p.approval_id = any(v_ids) and p.status = 'PENDING'
    returning p.*
  loop
    v_count := v_count + 1;
    perform pgagent._log_approval(
      a, 'approval_timed_out', jsonb_build_object('expires_at', a.expires_at)
    );
    select b.* into j
    from pgagent.agent_jobs as b
    where b.job_id = a.job_id
    for no key update of b;
    if found and j.status = 'AWAITING_HUMAN' and j.fencing_token = a.token then
      perform pgagent._end_undelivered(
        j, 'TIMED_OUT', 'job_timed_out',
        jsonb_build_object('status', 'TIMED_OUT', 'approval_id', a.approval_id),
        error => jsonb_build_object(
          'type', 'approval_timed_out', 'message', 'nobody decided in time',
          'approval_id', a.approval_id
        )
      );
    end if;
  end loop;
  return v_count;
end
$$;

comment on function pgagent._expire_approvals(integer) is
'Ends approvals whose deadline has passed, for expire_approvals and claims; returns how many.';
