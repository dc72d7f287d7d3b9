-- Gives due jobs to a worker: the body of claim_job and claim_jobs.
--
-- Order:   by priority, then by the order of `queues`, then by available_at and job_id. One index
--          descent a priority and queue: ordering by priority across delayed jobs would read them
--          all. Each begins where the last claim of this backend ended (see _positions.sql).
-- Locks:   the session, then the job, of each job it returns. Never waits: a session or job that is
--          locked is left for another call. Two clauses, session first: in one clause the job of a
--          skipped session stays locked, and two transactions can deadlock over it.
-- Rescan:  leases and deadlines that ran out are seen to, and the queues looked through from the
--          start, at most once a second in a backend and for at most a fiftieth of its time; when
--          there is nothing else to give, after a tenth of a second. So a job that is due behind
--          the positions (its transaction committed late, it was locked) is found one rescan later.
-- Rules:   while one of the queues is paused or limited, jobs are chosen one by one (_claim_ruled).
-- Plan:    one made while the tables are empty lives on when they have grown. `= any (array[x])` is
--          no condition to merge by, so that no index is walked from end to end for its order, and
--          the settings leave nothing but nested loops of look-ups.
--          Not by ctid: a row that was updated between the snapshot of the statement and its lock
--          is found by its key alone.
create function pgagent._claim(worker text, queues text[], max_jobs integer, lease interval)
returns table (
  job_id uuid, thread_id text, payload jsonb, config jsonb, attempt integer, max_attempts integer,
  fencing_token bigint, lease_left interval, deadline_left interval, started_checkpoint_id text,
  resume jsonb, trace_id text, traceparent text
)
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
  v_us bigint := (extract(epoch from v_now) * 1000000)::bigint;
  v_memory text := coalesce(current_setting('pgagent._claims', true), '');
  v_numbers bigint[] := array[]::bigint[];   -- twelve a queue, see _positions.sql
  v_rescan boolean := false;
  v_rests boolean := false;
  v_begun bigint;
  v_left integer := max_jobs;
  v_ordinal bigint;
  v_priority smallint;
  v_at timestamptz;
begin
  for n in 1..cardinality(queues) loop
    v_numbers := v_numbers || pgagent._recall(v_memory, queues[n]);
    v_rescan := v_rescan
      or not pgagent._rests(v_numbers[12 * n - 1], v_numbers[12 * n], v_us, 1000000);
    v_rests := v_rests
      or pgagent._rests(v_numbers[12 * n - 1], v_numbers[12 * n], v_us, 100000);
  end loop;

  loop
    if v_rescan then
      v_begun := v_us;
      perform pgagent._reap(100);
      v_now := pgagent._now();
      v_us := (extract(epoch from v_now) * 1000000)::bigint;
      for n in 1..cardinality(queues) loop
        v_numbers[12 * n - 11:12 * n - 2] := '{0,0,0,0,0,0,0,0,0,0}';
      end loop;
    end if;

    -- agent_jobs_ready
    for
      job_id, thread_id, payload, config, attempt, max_attempts, fencing_token, lease_left,
      deadline_left, started_checkpoint_id, resume, trace_id,
      traceparent, v_ordinal, v_priority, v_at
    in
      with due as materialized (
        select found.*
        from (
          select
            p.priority, q.queue, q.ordinal,
            pgagent._position(v_numbers[12 * q.ordinal - 11 + p.priority], v_us) as since
          from unnest('{9,8,7,6,5,4,3,2,1,0}'::smallint[]) as p (priority)
          cross join unnest(queues) with ordinality as q (queue, ordinal)
          where not exists (
            select from pgagent.queues as r
            where r.queue = any(queues)
              and num_nonnulls(r.paused_at, r.max_running, r.max_running_per_user) > 0
          )
          -- Or the planner may run through the queues first.
          order by p.priority desc, q.ordinal
        ) as place
        cross join lateral (
          select j.job_id, j.thread_id, j.progress_step, place.ordinal
          from pgagent.agent_jobs as j
          join pgagent.agent_sessions as s on s.thread_id = any(array[j.thread_id])
          where j.status = 'PENDING'
            and j.queue = place.queue
            and j.priority = place.priority
            and j.available_at >= place.since
            and j.available_at <= v_now
            and (j.deadline_at > v_now) is not false
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
        where s.thread_id = any(array[d.thread_id])
        returning s.fencing_token, s.last_event_seq, d.job_id, d.ordinal
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
        where j.job_id = any(array[o.job_id])
        returning j.*, o.last_event_seq, o.ordinal
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
        l.trace_id, l.traceparent, l.ordinal, l.priority, l.available_at
      from leased as l
      order by l.priority desc, l.ordinal, l.available_at, l.job_id
    loop
      v_left := v_left - 1;
      v_numbers[12 * v_ordinal - 11 + v_priority] := (extract(epoch from v_at) * 1000000)::bigint;
      return next;
    end loop;

    if v_left = max_jobs then
      for
        job_id, thread_id, payload, config, attempt, max_attempts, fencing_token, lease_left,
        deadline_left, started_checkpoint_id, resume, trace_id, traceparent,
        v_numbers
      in
        select * from pgagent._claim_ruled(worker, queues, max_jobs, lease, v_numbers, v_now)
      loop
        if job_id is not null then
          v_left := v_left - 1;
          return next;
        end if;
      end loop;
    end if;

    exit when v_rescan or v_rests or v_left < max_jobs;
    v_rescan := true;
  end loop;

  if v_rescan then
    v_us := (extract(epoch from pgagent._now()) * 1000000)::bigint;
    for n in 1..cardinality(queues) loop
      -- The first look of a backend goes for nothing: most of that was planning.
      v_numbers[12 * n] := case when v_numbers[12 * n - 1] = 0 then 0 else v_us - v_begun end;
      v_numbers[12 * n - 1] := v_us;
    end loop;
  end if;
  if v_rescan or v_left < max_jobs then
    v_memory := set_config(
      'pgagent._claims', pgagent._with_numbers(v_memory, queues, v_numbers), false
    );
  end if;
end
$$;

comment on function pgagent._claim(text, text[], integer, interval) is
'Gives due jobs to a worker, with the next fencing token of each thread.';
