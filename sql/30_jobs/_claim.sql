-- Gives due jobs to a worker: the body of claim_job and claim_jobs.
--
-- Order:   by priority, then by the order of `queues`, then by available_at and job_id. One index
--          descent a priority and queue: ordering by priority across delayed jobs would read them
--          all.
-- Locks:   the session, then the job, of each job it returns. Never waits: a session or job that is
--          locked is left for another call. Two clauses, session first: in one clause the job of a
--          skipped session stays locked, and two transactions can deadlock over it.
-- Plan:    `limit max_jobs` is a parameter, which the planner takes for a tenth of the queue: left
--          to itself it joins the few jobs it finds with a scan of every session. So it may not.
-- Expired leases are taken back first, at most once a second in a backend, and once more when there
-- is nothing else to give.
create function pgagent._claim(worker text, queues text[], max_jobs integer, lease interval)
returns table (
  job_id uuid, thread_id text, payload jsonb, config jsonb, attempt integer, max_attempts integer,
  fencing_token bigint, lease_left interval, deadline_left interval, started_checkpoint_id text,
  resume jsonb, trace_id text
)
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
  v_since_reap interval := pgagent._since_reap(v_now);  -- null when that is not known
  v_found boolean := false;
begin
  if (v_since_reap between interval '0' and interval '1 s') is not true then
    v_now := pgagent._reap_and_note(v_now);
    v_since_reap := '0';
  end if;
  loop
    -- agent_jobs_ready
    for
      job_id, thread_id, payload, config, attempt, max_attempts, fencing_token, lease_left,
      deadline_left, started_checkpoint_id, resume, trace_id
    in
      with due as materialized (
        select found.*
        from (
          -- Sorted, or the planner may run through the queues first.
          select p.priority, q.queue
          from unnest('{9,8,7,6,5,4,3,2,1,0}'::smallint[]) as p (priority)
          cross join unnest(queues) with ordinality as q (queue, ordinal)
          order by p.priority desc, q.ordinal
        ) as place
        cross join lateral (
          select j.job_id, j.thread_id, j.progress_step
          from pgagent.agent_jobs as j
          join pgagent.agent_sessions as s on s.thread_id = j.thread_id
          where j.status = 'PENDING'
            and j.queue = place.queue
            and j.priority = place.priority
            and j.available_at <= v_now
          order by j.available_at, j.job_id
          limit max_jobs
          for no key update of s skip locked
          for no key update of j skip locked
        ) as found
        limit max_jobs
      ),
      owned as (
        update pgagent.agent_sessions as s
        set
          status = 'RUNNING',
          fencing_token = s.fencing_token + 1,
          owner_token = s.fencing_token + 1,
          progress_step = d.progress_step,
          last_event_seq = s.last_event_seq + 1,
          last_activity_at = greatest(s.last_activity_at, v_now),
          active_hour = date_bin('1 hour', greatest(s.last_activity_at, v_now), 'epoch')
        from due as d
        where s.thread_id = d.thread_id
        returning s.thread_id, s.fencing_token, s.last_event_seq, d.job_id
      ),
      leased as (
        update pgagent.agent_jobs as j
        set
          status = 'IN_PROGRESS',
          attempt = j.attempt + 1,
          fencing_token = o.fencing_token,
          lease_owner = worker,
          lease = _claim.lease,
          claimed_at = v_now,
          started_at = coalesce(j.started_at, v_now),
          deadline_at = coalesce(j.deadline_at, v_now + j.timeout),
          step_deadline_at = v_now + j.step_timeout,
          lease_expires_at = least(
            v_now + _claim.lease, coalesce(j.deadline_at, v_now + j.timeout),
            v_now + j.step_timeout
          )
        from owned as o
        where j.job_id = o.job_id
        returning j.*, o.last_event_seq
      ),
      logged as (
        insert into pgagent.session_events (thread_id, seq, kind, data, job_id, attempt, trace_id)
        select
          l.thread_id, l.last_event_seq, 'job_claimed',
          jsonb_build_object('worker', worker, 'token', l.fencing_token), l.job_id, l.attempt,
          l.trace_id
        from leased as l
      )
      select
        l.job_id, l.thread_id, l.payload, l.config, l.attempt, l.max_attempts, l.fencing_token,
        l.lease_expires_at - v_now, l.deadline_at - v_now, l.started_checkpoint_id, l.resume,
        l.trace_id
      from leased as l
      order by l.priority desc, array_position(queues, l.queue), l.available_at, l.job_id
    loop
      v_found := true;
      return next;
    end loop;
    exit when v_found or v_since_reap < interval '100 ms';
    v_now := pgagent._reap_and_note(v_now);
    v_since_reap := '0';
  end loop;
end
$$;

comment on function pgagent._claim(text, text[], integer, interval) is
'Gives due jobs to a worker, with the next fencing token of each thread.';

-- When this backend last took back expired leases: epoch microseconds in a setting of the session.
-- A hint that may be lost or wrong at any time (a pooler, a clock that stepped back): then it
-- reaps.
create function pgagent._since_reap(now timestamptz)
returns interval
language sql
stable
parallel safe
begin atomic
  select
    case
      when t.us ~ '^[0-9]{16}$'
        then _since_reap.now - (timestamptz 'epoch' + t.us::bigint * interval '1 us')
    end
  from (select current_setting('pgagent._reaped_at', true) as us) as t;
end;

comment on function pgagent._since_reap(timestamptz) is
'How long ago this backend took back expired leases; null when that is not known.';

-- Takes back expired leases and notes when this backend did.
--
-- Returns: the time afterwards: jobs that were taken back are due from then on.
create function pgagent._reap_and_note(now timestamptz)
returns timestamptz
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._reap(100);
  perform set_config(
    'pgagent._reaped_at', (extract(epoch from now) * 1000000)::bigint::text, false
  );
  return pgagent._now();
end
$$;

comment on function pgagent._reap_and_note(timestamptz) is
'Takes back expired leases and notes when this backend did; returns the time afterwards.';
