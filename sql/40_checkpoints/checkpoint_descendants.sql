-- Everything that continued a checkpoint, on whatever branch, in the order it was stored; no
-- values.
--
-- checkpoint_ns, checkpoint_id: the checkpoint; it is not part of the answer.
-- after_seq: the seq of the last row of the page before; null: the first page.
-- max_rows:  at most so many (of 10,000).
-- Returns: rows as checkpoint_history. A child of a checkpoint that is not stored any more is no
--          descendant; an unknown checkpoint gives nothing.
-- Cost: what was stored in the namespace from there on is read in order until the page is full.
--       Where a branch begins or goes on whose parent is older than the page, what was stored
--       between the two is read too; and where that does not tell, once all from the checkpoint on.
--       No index leads from a parent to its children: every put would pay for it.
-- Reads under row security; locks nothing.
-- Raises: PA008, PA009 a bad page. A child is younger than its parent, so nothing goes round.
create function pgagent.checkpoint_descendants(
  thread_id text, checkpoint_ns text, checkpoint_id text, after_seq bigint default null,
  max_rows integer default 1000
)
returns table (
  thread text, ns text, id text, parent_id text, seq bigint, step integer, source text,
  nodes text[], metadata jsonb, job_id uuid, created_at timestamptz
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c pgagent.checkpoints;
  v_first pgagent.checkpoints := pgagent._checkpoint(
    checkpoint_descendants.thread_id, checkpoint_descendants.checkpoint_ns,
    checkpoint_descendants.checkpoint_id
  );
  v_start bigint := greatest(after_seq, v_first.seq);
  v_previous pgagent.checkpoints;
  v_parent pgagent.checkpoints;
  v_found text[];
  v_is_found boolean;
  v_knows_all boolean := v_start = v_first.seq;
  v_count integer := 0;
begin
  perform pgagent._check_page('max_rows', max_rows);
  -- checkpoints_seq_is_unique; the first row is where the page before ended.
  for c in
    select x.*
    from pgagent.checkpoints as x
    where x.thread_id = v_first.thread_id
      and x.checkpoint_ns = v_first.checkpoint_ns
      and x.seq >= v_start
    order by x.seq
  loop
    if c.seq = v_start then
      v_found := array[c.checkpoint_id];
      v_previous := c;
      v_is_found := true;
      continue;
    end if;
    if c.parent_checkpoint_id = v_previous.checkpoint_id then
      v_parent := v_previous;
    else
      v_parent := pgagent._checkpoint(c.thread_id, c.checkpoint_ns, c.parent_checkpoint_id);
      if v_parent.seq between v_first.seq and v_start and not v_knows_all
        and v_parent.checkpoint_id <> all(v_found) then
        if pgagent._leads_to(v_parent, v_start) then
          v_found := v_found || v_parent.checkpoint_id;
        else
          v_found := v_found || pgagent._descendants_until(v_first, v_start);
          v_knows_all := true;
        end if;
      end if;
      v_is_found := coalesce(
        v_parent.seq < c.seq and c.parent_checkpoint_id = any(v_found), false
      );
    end if;
    v_previous := c;
    if v_is_found then
      v_found := v_found || c.checkpoint_id;
      return query select t.* from pgagent._told(c, v_parent) as t;
      v_count := v_count + 1;
      exit when v_count = max_rows;
    end if;
  end loop;
end
$$;

comment on function pgagent.checkpoint_descendants(text, text, text, bigint, integer) is
'Everything that continued a checkpoint, on all its branches, page by page; no values.';

-- The ids of a checkpoint and of its descendants up to a number.
create function pgagent._descendants_until(ancestor pgagent.checkpoints, until_seq bigint)
returns text[]
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  c record;
  v_previous text := ancestor.checkpoint_id;
  v_is_found boolean := true;
  v_found text[] := array[v_previous];
begin
  for c in
    select x.checkpoint_id, x.parent_checkpoint_id
    from pgagent.checkpoints as x
    where x.thread_id = ancestor.thread_id
      and x.checkpoint_ns = ancestor.checkpoint_ns
      and x.seq > ancestor.seq
      and x.seq <= until_seq
    order by x.seq
  loop
    if c.parent_checkpoint_id is distinct from v_previous then
      v_is_found := coalesce(c.parent_checkpoint_id = any(v_found), false);
    end if;
    v_previous := c.checkpoint_id;
    if v_is_found then
      v_found := v_found || c.checkpoint_id::text;
    end if;
  end loop;
  return v_found;
end
$$;

comment on function pgagent._descendants_until(pgagent.checkpoints, bigint) is
'The ids of a checkpoint and of its descendants up to a number.';

-- Whether a checkpoint is an ancestor of the one with a number: what lies between them is read
-- backwards, in the order it was stored.
create function pgagent._leads_to(ancestor pgagent.checkpoints, seq bigint)
returns boolean
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  c record;
  v_awaited text;
begin
  for c in
    select x.seq, x.checkpoint_id, x.parent_checkpoint_id
    from pgagent.checkpoints as x
    where x.thread_id = ancestor.thread_id
      and x.checkpoint_ns = ancestor.checkpoint_ns
      and x.seq <= _leads_to.seq
      and x.seq > ancestor.seq
    order by x.seq desc
  loop
    if c.seq = _leads_to.seq or c.checkpoint_id = v_awaited then
      v_awaited := c.parent_checkpoint_id;
    end if;
  end loop;
  return coalesce(v_awaited = ancestor.checkpoint_id, false);
end
$$;

comment on function pgagent._leads_to(pgagent.checkpoints, bigint) is
'Whether a checkpoint is an ancestor of the one with a number.';
