-- Gives due jobs of queues of which some are paused or limited: one by one, each with its places.
--
-- numbers:  where to begin in each queue, twelve numbers each (see _positions.sql).
-- Returns:  as _claim, and the numbers as they are then. Last comes a row without a job, for them.
--           No row when none of the queues has a rule.
-- Locks:    a place of each limited queue, then, for each job, the session, the job, and a place of
--           its owner; skips what is locked, never waits. A place that was not used is free again
--           at the end of the transaction.
-- Jobs of owners without a free place are passed by, a hundred owners in a call, and so are the
-- positions: they are found when the queue is next looked through from the start.
create function pgagent._claim_ruled(
  worker text, queues text[], max_jobs integer, lease interval, numbers bigint[], now timestamptz
)
returns table (
  job_id uuid, thread_id text, payload jsonb, config jsonb, attempt integer, max_attempts integer,
  fencing_token bigint, lease_left interval, deadline_left interval, started_checkpoint_id text,
  resume jsonb, trace_id text, traceparent text, new_numbers bigint[]
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
  v_us bigint := (extract(epoch from now) * 1000000)::bigint;
  v_left integer := max_jobs;
  v_open boolean[];               -- whether a queue may give jobs,
  v_places integer[];             -- how many of its jobs may run, in all
  v_places_of_user integer[];     -- and for one owner,
  v_slots integer[];              -- and the place that this call has taken
  v_full_queues text[] := array[]::text[];   -- owners without a place in a queue
  v_full_users text[] := array[]::text[];
  v_user_slot integer;
  c record;
  j pgagent.agent_jobs;
begin
  select
    array_agg(r.paused_at is null order by q.ordinal), array_agg(r.max_running order by q.ordinal),
    array_agg(r.max_running_per_user order by q.ordinal)
  into v_open, v_places, v_places_of_user
  from unnest(queues) with ordinality as q (queue, ordinal)
  left join pgagent.queues as r on r.queue = any(array[q.queue])
  having
    bool_or(num_nonnulls(r.paused_at, r.max_running, r.max_running_per_user) > 0);
  if not found then
    return;
  end if;

  while v_left > 0 and cardinality(v_full_users) < 100 loop
    for n in 1..cardinality(queues) loop
      if v_open[n] and v_places[n] is not null and v_slots[n] is null then
        v_slots[n] := pgagent._take_slot(queues[n], '', v_places[n]);
        v_open[n] := v_slots[n] is not null;
      end if;
    end loop;

    -- agent_jobs_ready
    select place.priority, place.ordinal, place.queue, found.* into c
    from (
      select
        p.priority, q.queue, q.ordinal,
        pgagent._position(numbers[12 * q.ordinal - 11 + p.priority], v_us) as since
      from unnest('{9,8,7,6,5,4,3,2,1,0}'::smallint[]) as p (priority)
      cross join unnest(queues, v_open) with ordinality as q (queue, is_open, ordinal)
      where q.is_open
      order by p.priority desc, q.ordinal
    ) as place
    cross join lateral (
      select j.job_id, j.thread_id, j.available_at, s.user_id
      from pgagent.agent_jobs as j
      join pgagent.agent_sessions as s on s.thread_id = any(array[j.thread_id])
      where j.status = 'PENDING'
        and j.queue = place.queue
        and j.priority = place.priority
        and j.available_at >= place.since
        and j.available_at <= now
        and (j.deadline_at > now) is not false
        and not exists (
          select from unnest(v_full_queues, v_full_users) as f (queue, user_id)
          where f.queue = place.queue and f.user_id = s.user_id
        )
      order by j.available_at, j.job_id
      limit 1
      for no key update of s skip locked
      for no key update of j skip locked
    ) as found
    limit 1;

    -- What lies before it belongs to owners without a place.
    for n in 1..cardinality(queues) loop
      for p in coalesce(c.priority + 1, 0)..9 loop
        if v_open[n] and queues[n] = any(v_full_queues) then
          numbers[12 * n - 11 + p] := v_us;
        end if;
      end loop;
    end loop;
    exit when c.job_id is null;
    numbers[12 * c.ordinal - 11 + c.priority] := (
      extract(epoch from c.available_at) * 1000000
    )::bigint;

    if c.user_id is not null and v_places_of_user[c.ordinal] is not null then
      v_user_slot := pgagent._take_slot(c.queue, c.user_id, v_places_of_user[c.ordinal]);
      if v_user_slot is null then
        v_full_queues := v_full_queues || c.queue;
        v_full_users := v_full_users || c.user_id;
        continue;
      end if;
    end if;

    j := pgagent._begin_delivery(c.job_id, c.thread_id, worker, lease);
    update pgagent.queue_slots as t
    set job_id = j.job_id, fencing_token = j.fencing_token
    where t.queue = c.queue
      and (
        (t.user_id = '' and t.slot = v_slots[c.ordinal])
        or (t.user_id = c.user_id and t.slot = v_user_slot)
      );
    v_slots[c.ordinal] := null;
    v_user_slot := null;
    v_left := v_left - 1;
    return query
    select
      j.job_id, j.thread_id, j.payload, j.config, j.attempt, j.max_attempts, j.fencing_token,
      j.lease_expires_at - j.claimed_at, j.deadline_at - j.claimed_at, j.started_checkpoint_id,
      j.resume, j.trace_id, j.traceparent, numbers;
  end loop;
  job_id := null;
  new_numbers := numbers;
  return next;
end
$$;

comment on function pgagent._claim_ruled(
  text, text[], integer, interval, bigint[], timestamptz
) is
'Gives due jobs of queues of which some are paused or limited.';

-- Takes a place of a queue, or of an owner in it, until the end of the transaction: it stays taken
-- when the caller writes a delivery into it.
--
-- user_id: the owner; empty: the whole queue.
-- places:  how many there are. After they have become fewer, none is given while one of those above
--          is taken.
-- Returns: its number; null when there is none.
-- Locks:   the place. Never waits.
create function pgagent._take_slot(queue text, user_id text, places integer)
returns integer
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_slot integer := 0;
begin
  if exists (
    select
    from pgagent.queue_slots as t
    join pgagent.agent_jobs as j on j.job_id = any(array[t.job_id])
    where t.queue = _take_slot.queue and t.user_id = _take_slot.user_id and t.slot > places
      and (j.status = 'IN_PROGRESS' and j.fencing_token = t.fencing_token) is true
  ) then
    return null;
  end if;
  if not exists (
    select from pgagent.queue_slots as t
    where t.queue = _take_slot.queue and t.user_id = _take_slot.user_id and t.slot = places
  ) then
    -- The first places of an owner. Two inserts of one key would wait for each other.
    if not pg_try_advisory_xact_lock(
      hashtextextended(format('pgagent:%s:%s', _take_slot.queue, _take_slot.user_id), 0)
    ) then
      return null;
    end if;
    insert into pgagent.queue_slots (queue, user_id, slot)
    select _take_slot.queue, _take_slot.user_id, n from generate_series(1, places) as n
    on conflict on constraint queue_slots_pkey do nothing;
  end if;

  loop
    select t.slot into v_slot
    from pgagent.queue_slots as t
    left join pgagent.agent_jobs as j on j.job_id = any(array[t.job_id])
    where t.queue = _take_slot.queue
      and t.user_id = _take_slot.user_id
      and t.slot > v_slot
      and t.slot <= places
      and (j.status = 'IN_PROGRESS' and j.fencing_token = t.fencing_token) is not true
    order by t.slot
    limit 1
    for no key update of t skip locked;
    exit when not found;
    -- Again, now that it is locked: its last taker may have committed after the first look.
    exit when not exists (
      select
      from pgagent.queue_slots as t
      join pgagent.agent_jobs as j on j.job_id = any(array[t.job_id])
      where t.queue = _take_slot.queue and t.user_id = _take_slot.user_id and t.slot = v_slot
        and (j.status = 'IN_PROGRESS' and j.fencing_token = t.fencing_token) is true
    );
  end loop;
  return v_slot;
end
$$;

comment on function pgagent._take_slot(text, text, integer) is
'Takes a place of a limited queue or owner; null when all are taken.';
