-- Deletes what nothing leads to: versions that no checkpoint names, items that no version needs,
-- and writes of checkpoints that were never stored (LangGraph sends the writes of a task before
-- their checkpoint: a worker that dies in between leaves them).
--
-- grace:        what was stored less long ago stays: its checkpoint may be on its way. Must be
--               longer than the longest lease that is held: so long a worker may be silent and
--               still store it.
-- max_threads:  how many threads to look at, 1 to 1,000. A call stops earlier after half a second.
-- after_thread: looks at the threads whose ids sort behind; null begins with the first one.
-- dry_run:      count, and delete nothing.
-- Returns one row:
--   last_thread_id  the last thread it looked at: after_thread of the next call; null when no
--                   thread follows
--   threads         how many it looked at
--   skipped         how many of these have something to delete and were locked: the next sweep
--                   finds them
--   versions, items, writes   rows that were deleted, or would be
--   version_bytes, item_bytes, write_bytes   of their values, as stored, without row headers and
--                   indexes
-- Locks:   the sessions that have something to delete; skips those that are locked, never waits. A
--          thread without orphans is read and not locked. Looking counts as no activity.
-- Raises:  PA008 bad arguments, or grace is not longer than a lease that is held; PA009 more
--          threads than a sweep may have; PA011 not a service role.
-- Safe to repeat, and to run twice at once.
create function pgagent.sweep_orphans(
  grace interval default '1 day',
  max_threads integer default 100,
  after_thread text default null,
  dry_run boolean default false
)
returns table (
  last_thread_id text, threads bigint, skipped bigint, versions bigint, version_bytes bigint,
  items bigint, item_bytes bigint, writes bigint, write_bytes bigint
)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
-- Threads differ by a thousand times, and a plan costs less than a bad one.
set plan_cache_mode = force_custom_plan
-- The planner takes a checkpoint for a hundred versions, and the server would compile for 0.6 s
-- what runs for 0.1 s.
set jit = off
as $$
#variable_conflict use_column
declare
  v_began timestamptz := pgagent._now();
  v_before timestamptz;
  v_thread_id text;
  v_is_locked boolean;
  v_is_cut_short boolean := false;
  r record;
begin
  perform pgagent._require_service();
  perform pgagent._check_sweep(grace, max_threads, after_thread, dry_run);
  v_before := v_began - grace;
  threads := 0;
  skipped := 0;
  versions := 0;
  version_bytes := 0;
  items := 0;
  item_bytes := 0;
  writes := 0;
  write_bytes := 0;
  for v_thread_id in
    -- agent_sessions_pkey
    select s.thread_id
    from pgagent.agent_sessions as s
    where s.thread_id > coalesce(after_thread, '')
    order by s.thread_id
    limit max_threads
  loop
    last_thread_id := v_thread_id;
    threads := threads + 1;
    v_is_locked := false;
    select f.* into r from pgagent._count_orphans(v_thread_id, v_before) as f;
    if not dry_run and r.versions + r.items + r.writes > 0 then
      -- What was seen without the lock may have changed: _delete_orphans looks again.
      perform from pgagent.agent_sessions as s
      where s.thread_id = v_thread_id
      for no key update skip locked;
      v_is_locked := not found;
      if not v_is_locked then
        select f.* into r from pgagent._delete_orphans(v_thread_id, v_before) as f;
      end if;
    end if;
    if v_is_locked then
      skipped := skipped + 1;
    else
      versions := versions + r.versions;
      version_bytes := version_bytes + r.version_bytes;
      items := items + r.items;
      item_bytes := item_bytes + r.item_bytes;
      writes := writes + r.writes;
      write_bytes := write_bytes + r.write_bytes;
    end if;
    v_is_cut_short := pgagent._now() > v_began + interval '500 ms';
    exit when v_is_cut_short;
  end loop;
  if threads < max_threads and not v_is_cut_short then
    last_thread_id := null;
  end if;
  return next;
end
$$;

comment on function pgagent.sweep_orphans(interval, integer, text, boolean) is
'Deletes versions, items and writes that nothing leads to, some threads a call; or counts them.';

create function pgagent._check_sweep(
  grace interval, max_threads integer, after_thread text, dry_run boolean
)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lease interval;
begin
  perform pgagent._check_interval('grace', grace);
  if max_threads is null or max_threads < 1 then
    perform pgagent._raise(
      'PA008', 'max_threads must be at least 1', format('max_threads: %s', max_threads)
    );
  end if;
  if max_threads > pgagent._limit('sweep') then
    perform pgagent._raise(
      'PA009', format('max_threads is more than %s', pgagent._limit('sweep')),
      format('limit: sweep, max_threads: %s', max_threads), 'Call again with after_thread.'
    );
  end if;
  if dry_run is null then
    perform pgagent._raise('PA008', 'dry_run must be true or false');
  end if;
  if after_thread is not null then
    perform pgagent._check_name('after_thread', after_thread, 'thread_id');
  end if;
  -- agent_jobs_expiring
  select max(j.lease) into v_lease
  from pgagent.agent_jobs as j
  where coalesce(j.lease_expires_at, j.deadline_at) is not null
    and j.completed_at is null
    and j.status = 'IN_PROGRESS';
  if grace <= v_lease then
    perform pgagent._raise(
      'PA008', 'grace must be longer than the longest lease that is held',
      format('grace: %s, lease: %s', grace, v_lease),
      'A worker that is silent for so long may still store the checkpoint of what it wrote.'
    );
  end if;
end
$$;

comment on function pgagent._check_sweep(interval, integer, text, boolean) is
'Raises PA008 or PA009 for arguments that a sweep cannot use.';

-- What nothing leads to in a thread, counted.
create function pgagent._count_orphans(thread_id text, stored_before timestamptz)
returns table (
  versions bigint, version_bytes bigint, items bigint, item_bytes bigint, writes bigint,
  write_bytes bigint
)
language sql
stable
begin atomic
  select
    count(*) filter (where o.kind = 'version'),
    coalesce(sum(o.bytes) filter (where o.kind = 'version'), 0),
    count(*) filter (where o.kind = 'item'),
    coalesce(sum(o.bytes) filter (where o.kind = 'item'), 0),
    count(*) filter (where o.kind = 'write'),
    coalesce(sum(o.bytes) filter (where o.kind = 'write'), 0)
  from (
    select v.kind, v.bytes
    from pgagent._orphan_values(_count_orphans.thread_id, _count_orphans.stored_before) as v
    union all
    select 'write', w.bytes
    from pgagent._orphan_writes(_count_orphans.thread_id, _count_orphans.stored_before) as w
  ) as o;
end;

comment on function pgagent._count_orphans(text, timestamptz) is
'Counts what nothing leads to in a thread.';

-- Deletes what nothing leads to in a thread; the caller holds the session.
create function pgagent._delete_orphans(thread_id text, stored_before timestamptz)
returns table (
  versions bigint, version_bytes bigint, items bigint, item_bytes bigint, writes bigint,
  write_bytes bigint
)
language sql
volatile
begin atomic
  with orphans as materialized (
    select o.place, o.bytes
    from pgagent._orphan_writes(_delete_orphans.thread_id, _delete_orphans.stored_before) as o
  ),

  gone_writes as (
    delete from pgagent.checkpoint_writes as w
    using orphans as o
    where w.thread_id = _delete_orphans.thread_id and w.ctid = o.place
    returning o.bytes
  ),

  counted as (
    select count(*) as rows_gone, coalesce(sum(g.bytes), 0)::bigint as bytes_gone
    from gone_writes as g
  )

  select
    v.versions, v.version_bytes, v.items, v.item_bytes, w.rows_gone as writes,
    w.bytes_gone as write_bytes
  from pgagent._delete_values(_delete_orphans.thread_id, _delete_orphans.stored_before) as v
  cross join counted as w;
end;

comment on function pgagent._delete_orphans(text, timestamptz) is
'Deletes what nothing leads to in a thread, and counts it.';
