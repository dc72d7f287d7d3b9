-- A checkpoint and its ancestors, newest first, to the root of its namespace; no values.
--
-- checkpoint_id: where to begin; null: at the latest of the namespace.
-- max_rows:      at most so many (of 10,000). The next page begins at the parent_id of the last
--                row.
-- Returns: a row a checkpoint. step and source as in its metadata; nodes: those whose tasks it
--          ends, as far as the checkpoint tells. Where an ancestor is not stored any more (it was
--          pruned, or the thread is a copy), the rows end with one whose parent_id leads nowhere.
--          An unknown checkpoint gives nothing.
-- Reads under row security; locks nothing.
-- Raises: PA008, PA009 a bad page; PA010 the history goes round: a parent is not older than its
--         child.
create function pgagent.checkpoint_history(
  thread_id text, checkpoint_ns text default '', checkpoint_id text default null,
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
  a record;
  v_first pgagent.checkpoints := pgagent._checkpoint(
    checkpoint_history.thread_id, checkpoint_history.checkpoint_ns,
    coalesce(
      checkpoint_history.checkpoint_id,
      pgagent._newest(checkpoint_history.thread_id, checkpoint_history.checkpoint_ns)
    )
  );
begin
  perform pgagent._check_page('max_rows', max_rows);
  for a in
    with recursive walk as (
      select
        v_first as c, v_first.seq, v_first.parent_checkpoint_id, 1 as place, false as goes_round
      where v_first.seq is not null
      union all
      -- One more than the page: nodes are told by what the parent has not seen.
      select p.c, p.seq, p.parent_checkpoint_id, w.place + 1, p.seq >= w.seq
      from walk as w
      -- checkpoints_pkey, as in _checkpoint
      cross join lateral (
        select x as c, x.seq, x.parent_checkpoint_id
        from pgagent.checkpoints as x
        where x.thread_id = checkpoint_history.thread_id
          and x.checkpoint_ns = checkpoint_history.checkpoint_ns
          and x.checkpoint_id >= w.parent_checkpoint_id
          and x.checkpoint_id <= w.parent_checkpoint_id
        order by x.checkpoint_id
        limit 1
      ) as p
      where w.place <= max_rows and not w.goes_round
    )

    select w.c, w.place, w.goes_round, lead(w.c) over (order by w.place) as parent
    from walk as w
    order by w.place
  loop
    if a.goes_round then
      perform pgagent._raise(
        'PA010', 'the history goes round: a parent is not older than its child',
        format(
          'thread_id: %s, checkpoint_ns: %s, checkpoint_id: %s', (a.c).thread_id,
          (a.c).checkpoint_ns, (a.c).checkpoint_id
        ),
        'Rows were changed by hand. Begin at an older checkpoint, or list_checkpoints.'
      );
    end if;
    if a.place <= max_rows then
      return query select t.* from pgagent._told(a.c, a.parent) as t;
    end if;
  end loop;
end
$$;

comment on function pgagent.checkpoint_history(text, text, text, integer) is
'A checkpoint and its ancestors to the root, newest first, page by page; no values.';
