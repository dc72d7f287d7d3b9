-- The checkpoint that was the latest of a namespace at some time.
--
-- as_of: the time, by the database's clock; what was stored at that very instant counts.
-- Returns: one row as checkpoint_history; none when nothing was stored by then.
-- Reads under row security; locks nothing.
-- Raises: PA008 without a time.
create function pgagent.checkpoint_at(
  thread_id text, as_of timestamptz, checkpoint_ns text default ''
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
  v_end bigint;
begin
  if as_of is null then
    perform pgagent._raise('PA008', 'as_of is required');
  end if;
  v_end := pgagent._seq_at(
    checkpoint_at.thread_id, checkpoint_at.checkpoint_ns, as_of, true
  );
  -- checkpoints_seq_is_unique, read backwards
  select x.* into c
  from pgagent.checkpoints as x
  where x.thread_id = checkpoint_at.thread_id
    and x.checkpoint_ns = checkpoint_at.checkpoint_ns
    and x.seq < v_end
  order by x.seq desc
  limit 1;
  if found then
    return query
    select t.*
    from pgagent._told(
      c, pgagent._checkpoint(c.thread_id, c.checkpoint_ns, c.parent_checkpoint_id)
    ) as t;
  end if;
end
$$;

comment on function pgagent.checkpoint_at(text, timestamptz, text) is
'The checkpoint that was the latest of a thread at some time; no values.';
