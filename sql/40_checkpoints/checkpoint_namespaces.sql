-- The namespaces of a thread, each with its latest checkpoint: the graph's own is '', that of a
-- subgraph a path of nodes, with a task id where each call has a namespace of its own.
--
-- after_ns: the last one of the page before; null: the first page.
-- max_rows: at most so many (of 10,000), by name.
-- Returns: namespace, and of its latest checkpoint id, seq, step and time; runs_under: the
--          checkpoint of the graph itself that it ran under, as the metadata of its latest says.
-- Cost: one descent a namespace, however many checkpoints it has.
-- Reads under row security; locks nothing.
-- Raises: PA008, PA009 a bad page.
create function pgagent.checkpoint_namespaces(
  thread_id text, after_ns text default null, max_rows integer default 1000
)
returns table (
  ns text, id text, seq bigint, step integer, runs_under text, created_at timestamptz
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c pgagent.checkpoints;
  -- The least text that is greater.
  v_from text := coalesce(after_ns || chr(1), '');
begin
  perform pgagent._check_page('max_rows', max_rows);
  for n in 1..max_rows loop
    -- checkpoints_seq_is_unique: the first entry of the next namespace, then its last. In one
    -- query, ordered both ways, all of the namespace would be sorted.
    select x.* into c
    from pgagent.checkpoints as x
    where x.thread_id = checkpoint_namespaces.thread_id
      and x.checkpoint_ns >= v_from
    order by x.checkpoint_ns, x.seq
    limit 1;
    exit when not found;
    select x.* into c
    from pgagent.checkpoints as x
    where x.thread_id = c.thread_id and x.checkpoint_ns = c.checkpoint_ns
    order by x.seq desc
    limit 1;
    v_from := c.checkpoint_ns || chr(1);
    return query
    select
      c.checkpoint_ns::text, c.checkpoint_id::text, c.seq, pgagent._step_of(c.metadata),
      case when c.checkpoint_ns <> '' then c.metadata -> 'parents' ->> '' end, c.created_at;
  end loop;
end
$$;

comment on function pgagent.checkpoint_namespaces(text, text, integer) is
'The namespaces of a thread, each with its latest checkpoint, page by page; no values.';
