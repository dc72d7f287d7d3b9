-- Enqueues elements on at most 1,000 threads: what enqueue_job does, in sets, by the same rules.
--
-- Returns: the elements with job_id, status and enqueued, or error.
-- Locks:   the sessions, in the order of their ids; the live jobs that step back.
-- Plan:    joins go by key: the planner takes an array for ten rows, and more for whole tables.
create function pgagent._enqueue_part(jobs pgagent._new_job[])
returns pgagent._new_job[]
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
  v_tenant text := pgagent._tenant();
  v_now timestamptz;
  v_jobs pgagent._new_job[];
  v_back uuid[];
begin
  -- 1. Makes the threads that are not there and locks the others, in one order for both.
  insert into pgagent.agent_sessions as a (thread_id, user_id)
  select distinct j.thread_id collate "C", v_tenant from unnest(jobs) as j order by 1
  on conflict on constraint agent_sessions_pkey do update
  set status = excluded.status where false;
  v_jobs := pgagent._without_closed(jobs);
  v_now := pgagent._now();

  -- 2. What becomes of each element, as if they came one after the other. A key that is known, or
  -- came before, is answered; of the others, the thread's place goes to the one due first.
  with given as (
    select
      j.*, s.active_job_id, s.last_job_seq, s.last_event_seq, v_now + j.delay as due,
      known.job_id as known_id, known.status as known_status, known.fingerprint as known_print,
      pgagent._makes_way(live.fencing_token, live.available_at, v_now + j.delay) as makes_way,
      j.on_busy = 'reject' and (
        s.active_job_id is not null
        or row_number() over (
          partition by j.thread_id, known.job_id is null and j.error is null order by j.ordinal
        ) > 1
      ) as is_refused
    from unnest(v_jobs) as j
    join pgagent.agent_sessions as s on s.thread_id = j.thread_id
    left join pgagent.agent_jobs as live on live.job_id = s.active_job_id
    -- agent_jobs_by_key
    left join lateral (
      select k.job_id, k.status, k.fingerprint
      from pgagent.agent_jobs as k
      where k.thread_id = j.thread_id and k.idempotency_key = j.idempotency_key
      offset 0
    ) as known on true
  ),
  keyed as (
    select
      g.*,
      min(g.ordinal) filter (where g.error is null and not g.is_refused) over same_key as holder,
      first_value(g.fingerprint) over (
        same_key order by g.error is not null or g.is_refused, g.ordinal
      ) as held_print
    from given as g
    window same_key as (
      partition by
        g.thread_id, g.idempotency_key, case when g.idempotency_key is null then g.ordinal end
    )
  ),
  judged as (
    select
      k.*,
      case
        when k.error is not null then k.error
        when k.known_id is not null
          then
            case
              when k.known_print <> k.fingerprint
                then pgagent._key_error(k.thread_id, k.known_id, k.idempotency_key)
            end
        when k.holder < k.ordinal
          then
            case
              when k.held_print <> k.fingerprint
                then pgagent._key_error(k.thread_id, null, k.idempotency_key)
            end
        when k.is_refused then pgagent._busy_error(k.thread_id, k.active_job_id)
      end as refusal
    from keyed as k
  ),
  decided as (
    select
      d.*, d.known_id is null and d.refusal is null and d.holder = d.ordinal as is_new
    from judged as d
  ),
  numbered as (
    select
      n.*,
      count(*) filter (where n.is_new) over (partition by n.thread_id order by n.ordinal) as place,
      n.is_new and (n.active_job_id is null or n.makes_way) and row_number() over (
        partition by n.thread_id, n.is_new order by n.due, n.ordinal
      ) = 1 as is_next,
      case when n.is_new then pgagent._new_id(n.thread_id, n.ordinal::integer) end as new_id
    from decided as n
  ),
  answered as (
    select
      n.*,
      coalesce(n.known_id, first_value(n.new_id) over holder_first) as answer_id,
      coalesce(
        n.known_status,
        case when first_value(n.is_next) over holder_first then 'PENDING' else 'WAITING' end
      ) as answer_status
    from numbered as n
    window holder_first as (
      partition by
        n.thread_id, n.idempotency_key, case when n.idempotency_key is null then n.ordinal end
      order by n.is_new desc, n.ordinal
    )
  )
  select
    array_agg(
      row(
        n.ordinal, n.thread_id, n.payload, n.queue, n.priority, n.delay, n.config,
        n.idempotency_key, n.max_attempts, n.timeout, n.step_timeout, n.on_busy, n.trace_id,
        n.traceparent, n.retry_base, n.retry_cap, n.fingerprint,
        case when n.refusal is null then n.answer_id end,
        n.last_job_seq + n.place, n.last_event_seq + n.place,
        case when n.refusal is null then n.answer_status end, n.is_new, n.refusal
      )::pgagent._new_job
      order by n.ordinal
    ),
    array_agg(n.active_job_id) filter (where n.is_next and n.active_job_id is not null)
  into v_jobs, v_back
  from answered as n;

  -- 3. The threads, by an UPDATE: see enqueue_job. Those that step back, before others get their
  -- place.
  update pgagent.agent_sessions as a
  set
    last_job_seq = a.last_job_seq + n.added,
    last_event_seq = a.last_event_seq + n.added
      + (n.next_id is not null and a.active_job_id is not null)::integer,
    active_job_id = coalesce(n.next_id, a.active_job_id),
    status = case when n.next_id is not null then 'IDLE' else a.status end,
    completed_at = null,
    last_activity_at = greatest(a.last_activity_at, v_now),
    active_hour = date_bin('1 hour', greatest(a.last_activity_at, v_now), 'epoch')
  from (
    select
      j.thread_id, count(*) as added,
      (array_agg(j.job_id) filter (where j.status = 'PENDING'))[1] as next_id
    from unnest(v_jobs) as j
    where j.enqueued
    group by j.thread_id
  ) as n
  where a.thread_id = n.thread_id;
  if v_back is not null then
    with back as (
      update pgagent.agent_jobs as j
      set status = 'WAITING'
      where j.job_id = any(v_back)
      returning j.*
    )

    insert into pgagent.session_events (thread_id, seq, kind, job_id, attempt, trace_id)
    select b.thread_id, s.last_event_seq, 'job_stepped_back', b.job_id, b.attempt, b.trace_id
    from back as b
    join pgagent.agent_sessions as s on s.thread_id = b.thread_id;
  end if;

  -- 4. The jobs and their events.
  with added as (
    select j.* from unnest(v_jobs) as j where j.enqueued
  ),
  logged as (
    insert into pgagent.session_events (thread_id, seq, kind, job_id, trace_id)
    select j.thread_id, j.event_seq, 'job_enqueued', j.job_id, j.trace_id
    from added as j
  )
  insert into pgagent.agent_jobs (
    job_id, thread_id, seq, queue, payload, config, status, priority, available_at, max_attempts,
    timeout, step_timeout, idempotency_key, fingerprint, trace_id, traceparent,
    retry_base, retry_cap, created_at
  )
  select
    j.job_id, j.thread_id, j.seq, j.queue, j.payload, j.config, j.status, j.priority,
    v_now + j.delay, j.max_attempts, j.timeout, j.step_timeout, j.idempotency_key, j.fingerprint,
    j.trace_id, j.traceparent, j.retry_base, j.retry_cap, v_now
  from added as j;
  perform pgagent._wake(j.queue, 'PENDING', null)
  from (
    select distinct b.queue
    from unnest(v_jobs) as b
    where b.enqueued and b.status = 'PENDING' and b.delay = '0'
  ) as j;
  return v_jobs;
end
$$;

comment on function pgagent._enqueue_part(pgagent._new_job[]) is
'Enqueues elements on at most 1,000 threads, in sets.';

-- Begins deleted threads anew, and puts the refusal of archived ones and of those of somebody else
-- into their elements. The caller holds the sessions.
create function pgagent._without_closed(jobs pgagent._new_job[])
returns pgagent._new_job[]
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_service boolean := pgagent._is_service();
  v_tenant text := pgagent._tenant();
  v_jobs pgagent._new_job[] := jobs;
  v_thread_id text;
  v_code text;
  v_message text;
  v_detail text;
  v_hint text;
begin
  for v_thread_id in
    select distinct j.thread_id
    from unnest(jobs) as j
    join pgagent.agent_sessions as s on s.thread_id = j.thread_id
    where s.status in ('DELETED', 'ARCHIVED')
      or not v_service and (s.user_id = v_tenant) is not true
  loop
    begin
      perform pgagent._begin_session(v_thread_id, v_tenant);
    exception
      when sqlstate 'PA006' or sqlstate 'PA011' then
        get stacked diagnostics
          v_code = returned_sqlstate, v_message = message_text, v_detail = pg_exception_detail,
          v_hint = pg_exception_hint;
        for i in 1 .. cardinality(v_jobs) loop
          if v_jobs[i].thread_id = v_thread_id then
            v_jobs[i].error := jsonb_build_object(
              'code', v_code, 'message', v_message, 'detail', v_detail, 'hint', v_hint
            );
          end if;
        end loop;
    end;
  end loop;
  return v_jobs;
end
$$;

comment on function pgagent._without_closed(pgagent._new_job[]) is
'Begins deleted threads anew and refuses the elements on archived and foreign ones.';
