-- What was stored in some time, of one thread or of all, with marks where branches begin; no
-- values.
--
-- thread_id:     the thread; null: all that the caller may see.
-- since, until:  from the first on and before the second, by the database's clock; null: without an
--                end on that side. Neither gives a namespace whole.
-- checkpoint_ns: the namespace.
-- after_thread, after_seq: thread and seq of the last row of the page before; null: the first page.
-- newest_first:  the order within a thread. Threads come in the order of their ids.
-- max_rows:      at most so many (of 10,000).
-- Returns: rows as checkpoint_history, and of the first checkpoint of a branch, as pgagent.forks
--          has it, passed_by (the one that was newest then) and is_deliberate; both null elsewhere.
-- Cost: that of the page. created_at never falls within a thread, so a range of time is a range of
--       seq. Over all threads that, and a few look-ups for each thread that was active since.
-- Reads under row security; locks nothing.
-- Raises: PA008, PA009 a bad page; PA008 until is before since.
create function pgagent.checkpoints_between(
  thread_id text default null, since timestamptz default null, until timestamptz default null,
  checkpoint_ns text default '', after_thread text default null, after_seq bigint default null,
  newest_first boolean default false, max_rows integer default 1000
)
returns table (
  thread text, ns text, id text, parent_id text, seq bigint, step integer, source text,
  nodes text[], metadata jsonb, job_id uuid, created_at timestamptz, passed_by text,
  is_deliberate boolean
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_hour timestamptz := case when isfinite(since) then date_bin('1 hour', since, 'epoch') end;
  v_thread text;
  v_left integer := max_rows;
  v_rows integer;
begin
  perform pgagent._check_page('max_rows', max_rows);
  if newest_first is null then
    perform pgagent._raise('PA008', 'newest_first must be true or false');
  end if;
  if until < since then
    perform pgagent._raise(
      'PA008', 'until is before since', format('since: %s, until: %s', since, until)
    );
  end if;
  if checkpoints_between.thread_id is not null then
    return query
    select b.*
    from pgagent._between(
      checkpoints_between.thread_id, checkpoint_ns, since, until, after_seq, newest_first, max_rows
    ) as b;
    return;
  end if;
  for v_thread in
    select s.thread_id
    from pgagent.agent_sessions as s
    where (select has_function_privilege('pgagent._service()'::regprocedure, 'execute'))
      -- agent_sessions_by_activity
      and s.active_hour >= coalesce(v_hour, '-infinity')
      and s.thread_id >= coalesce(after_thread, '')
    union all
    select s.thread_id
    from pgagent.agent_sessions as s
    where not (select has_function_privilege('pgagent._service()'::regprocedure, 'execute'))
      -- agent_sessions_by_owner
      and s.user_id = (select pgagent._tenant())
      and s.active_hour >= coalesce(v_hour, '-infinity')
      and s.thread_id >= coalesce(after_thread, '')
    order by 1
  loop
    return query
    select b.*
    from pgagent._between(
      v_thread, checkpoint_ns, since, until, case v_thread when after_thread then after_seq end,
      newest_first, v_left
    ) as b;
    get diagnostics v_rows = row_count;
    v_left := v_left - v_rows;
    exit when v_left = 0;
  end loop;
end
$$;

comment on function pgagent.checkpoints_between(
  text, timestamptz, timestamptz, text, text, bigint, boolean, integer
) is
'What was stored in some time, of one thread or of all, page by page; no values.';

-- The same, of one thread.
create function pgagent._between(
  thread_id text, checkpoint_ns text, since timestamptz, until timestamptz, after_seq bigint,
  newest_first boolean, max_rows integer
)
returns table (
  thread text, ns text, id text, parent_id text, seq bigint, step integer, source text,
  nodes text[], metadata jsonb, job_id uuid, created_at timestamptz, passed_by text,
  is_deliberate boolean
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c pgagent.checkpoints;
  v_newer pgagent.checkpoints;
  v_older pgagent.checkpoints;
  v_low bigint := 0;
  v_high bigint := 9223372036854775807;
  v_count integer := 0;
begin
  if newest_first then
    -- The end by number, unless a page came before; the beginning shows on the way.
    v_high := coalesce(after_seq, pgagent._seq_at(thread_id, checkpoint_ns, until, false), v_high);
    -- checkpoints_seq_is_unique, read backwards. Each is told when the one before it is known.
    for c in
      select x.*
      from pgagent.checkpoints as x
      where x.thread_id = _between.thread_id
        and x.checkpoint_ns = _between.checkpoint_ns
        and x.seq < v_high
      order by x.seq desc
    loop
      if v_newer.thread_id is not null then
        return query select b.* from pgagent._told_branching(v_newer, c) as b;
        v_newer := null;
        v_count := v_count + 1;
      end if;
      exit when v_count = max_rows or c.created_at < since;
      v_newer := c;
    end loop;
    if v_newer.thread_id is not null then
      return query select b.* from pgagent._told_branching(v_newer, null) as b;
    end if;
    return;
  end if;

  v_low := coalesce(
    after_seq + case when after_seq < v_high then 1 else 0 end,
    pgagent._seq_at(thread_id, checkpoint_ns, since, false),
    v_low
  );
  select x.* into v_older
  from pgagent.checkpoints as x
  where x.thread_id = _between.thread_id
    and x.checkpoint_ns = _between.checkpoint_ns
    and x.seq < v_low
  order by x.seq desc
  limit 1;
  for c in
    select x.*
    from pgagent.checkpoints as x
    where x.thread_id = _between.thread_id
      and x.checkpoint_ns = _between.checkpoint_ns
      and x.seq >= v_low
    order by x.seq
  loop
    exit when c.created_at >= until;
    return query select b.* from pgagent._told_branching(c, v_older) as b;
    v_older := c;
    v_count := v_count + 1;
    exit when v_count = max_rows;
  end loop;
end
$$;

comment on function pgagent._between(
  text, text, timestamptz, timestamptz, bigint, boolean, integer
) is
'What was stored in some time in a namespace of a thread.';

-- What is told of a checkpoint, given the one that was stored before it in its namespace.
create function pgagent._told_branching(c pgagent.checkpoints, older pgagent.checkpoints)
returns table (
  thread text, ns text, id text, parent_id text, seq bigint, step integer, source text,
  nodes text[], metadata jsonb, job_id uuid, created_at timestamptz, passed_by text,
  is_deliberate boolean
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_parent pgagent.checkpoints := older;
  v_branches boolean := false;
begin
  if c.parent_checkpoint_id is distinct from older.checkpoint_id then
    v_parent := pgagent._checkpoint(c.thread_id, c.checkpoint_ns, c.parent_checkpoint_id);
    v_branches := v_parent.thread_id is not null and older.thread_id is not null;
  end if;
  return query
  select
    t.*, case when v_branches then older.checkpoint_id::text end,
    case when v_branches then coalesce(t.source in ('fork', 'update'), false) end
  from pgagent._told(c, v_parent) as t;
end
$$;

comment on function pgagent._told_branching(pgagent.checkpoints, pgagent.checkpoints) is
'What readers of history tell of a checkpoint, and whether a branch begins with it.';
