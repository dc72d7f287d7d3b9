-- Lists checkpoints whole, newest first, in one call.
--
-- thread_id:     one thread; null: all that the caller may see.
-- checkpoint_ns: one namespace; null: all.
-- before:        a checkpoint id: only what is older. In another namespace, what ran under an older
--                checkpoint of that id's namespace (metadata.parents) is older. An unknown id gives
--                nothing.
-- filter:        metadata must contain this object.
-- max_rows:      at most so many checkpoints; null: all; a negative number: none.
-- checkpoint_id: the one of this id, in each of the namespaces that are asked for.
-- with_values:   false leaves out value, item and write rows, and inline values.
-- Returns rows as get_checkpoint does, without the thread row: a checkpoint row each, newest first;
-- a value row for each version that any of them names, once; an item row for each item that any of
-- the values needs, once; a write row for each write.
-- Order is that of seq within a thread; over threads that of created_at.
-- Reads under row security; locks nothing.
create function pgagent.list_checkpoints(
  thread_id text default null, checkpoint_ns text default null, before text default null,
  filter jsonb default null, max_rows integer default null, checkpoint_id text default null,
  with_values boolean default true
)
returns table (
  kind text, thread text, ns text, id text, parent_id text, seq bigint, created_at timestamptz,
  checkpoint jsonb, metadata jsonb, token bigint, channel text, version text, type text,
  blob bytea, runs int4range[], saved bigint, task_id text, task_path text, idx integer
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
-- Without the arguments half of the query cannot be left out.
set plan_cache_mode = force_custom_plan
-- It is planned for thousands of ranges of the log where there is one: compiling it takes 1,300 ms,
-- running it 1.
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with edge as materialized (
    select c.thread_id, c.checkpoint_ns, c.seq, c.created_at
    from pgagent.checkpoints as c
    where
      list_checkpoints.before is not null
      and c.checkpoint_id = list_checkpoints.before
      and c.thread_id = coalesce(list_checkpoints.thread_id, c.thread_id)
    order by c.seq
    limit 1
  ),

  wanted as materialized (
    (
      select c.*
      from pgagent.checkpoints as c
      where
        list_checkpoints.thread_id is not null
        and c.thread_id = list_checkpoints.thread_id
        and c.checkpoint_ns = coalesce(list_checkpoints.checkpoint_ns, c.checkpoint_ns)
        and (list_checkpoints.filter is null or c.metadata @> list_checkpoints.filter)
        and c.checkpoint_id = coalesce(list_checkpoints.checkpoint_id, c.checkpoint_id)
        and (
          list_checkpoints.before is null
          or exists (
            select from edge as e
            where coalesce(
              (
                select p.seq
                from pgagent.checkpoints as p
                where
                  p.thread_id = c.thread_id
                  and p.checkpoint_ns = e.checkpoint_ns
                  and p.checkpoint_id = c.metadata -> 'parents' ->> e.checkpoint_ns
                  and c.checkpoint_ns <> e.checkpoint_ns
              ),
              c.seq
            ) < e.seq
          )
        )
      order by c.seq desc
      limit case when max_rows < 0 then 0 else max_rows end
    )
    union all
    (
      select c.*
      from pgagent.checkpoints as c
      where
        list_checkpoints.thread_id is null
        and list_checkpoints.filter is null
        and c.checkpoint_ns = coalesce(list_checkpoints.checkpoint_ns, c.checkpoint_ns)
        and c.checkpoint_id = coalesce(list_checkpoints.checkpoint_id, c.checkpoint_id)
        and (
          list_checkpoints.before is null
          or exists (
            select from edge as e
            where (c.created_at, c.seq) < (e.created_at, e.seq)
          )
        )
      order by c.created_at desc, c.seq desc
      limit case when max_rows < 0 then 0 else max_rows end
    )
    union all
    (
      select c.*
      from
        pgagent._with_metadata(
          case when list_checkpoints.thread_id is null then list_checkpoints.filter end,
          list_checkpoints.checkpoint_ns,
          list_checkpoints.checkpoint_id,
          (select e.created_at from edge as e),
          (select e.seq from edge as e),
          max_rows
        ) as f
      -- checkpoints_pkey
      cross join
        lateral (
          select x.*
          from pgagent.checkpoints as x
          where
            x.thread_id = f.thread
            and x.checkpoint_ns = f.ns
            and x.checkpoint_id = f.id
          offset 0
        ) as c
      where list_checkpoints.before is null or exists (select from edge)
    )
  ),

  versions as materialized (
    select n.thread_id, n.checkpoint_ns, b.*
    from (
      select distinct w.thread_id, w.checkpoint_ns, v.channel, v.version
      from wanted as w
      cross join
        lateral jsonb_each_text(w.checkpoint -> 'channel_versions') as v (channel, version)
      where list_checkpoints.with_values
    ) as n
    -- checkpoint_blobs_pkey, by look-ups as in get_checkpoint
    cross join
      lateral (
        select x.channel, x.version, x.type, x.blob, x.runs, x.saved
        from pgagent.checkpoint_blobs as x
        where
          x.thread_id = n.thread_id
          and x.checkpoint_ns = n.checkpoint_ns
          and x.channel = n.channel
          and x.version = n.version
        offset 0
      ) as b
  )

  select
    'checkpoint' as kind, w.thread_id, w.checkpoint_ns, w.checkpoint_id, w.parent_checkpoint_id,
    w.seq, w.created_at, w.checkpoint, w.metadata, null::bigint, null, null,
    case when list_checkpoints.with_values then w.inline_type end,
    case when list_checkpoints.with_values then w.inline_values end,
    null::int4range[], null::bigint, null as task_id, null as task_path, null::integer as idx
  from wanted as w
  union all
  select
    'value', v.thread_id, v.checkpoint_ns, null, null, null, null, null::jsonb, null::jsonb, null,
    v.channel, v.version, v.type, v.blob, v.runs, v.saved, null, null, null
  from versions as v
  union all
  select
    'item', m.thread_id, m.checkpoint_ns, null, null, null, null, null::jsonb, null::jsonb, null,
    m.channel, null, i.type, i.blob, null, null, null, null, i.seq
  from (
    select v.thread_id, v.checkpoint_ns, v.channel, unnest(range_agg(r.run)) as run
    from versions as v
    cross join lateral unnest(v.runs) as r (run)
    group by v.thread_id, v.checkpoint_ns, v.channel
  ) as m
  -- checkpoint_items_pkey, by look-ups as in get_checkpoint
  cross join
    lateral (
      select x.seq, x.type, x.blob
      from pgagent.checkpoint_items as x
      where
        x.thread_id = m.thread_id
        and x.checkpoint_ns = m.checkpoint_ns
        and x.channel = m.channel
        and x.seq >= lower(m.run)
        and x.seq < upper(m.run)
      offset 0
    ) as i
  union all
  select
    'write', w.thread_id, w.checkpoint_ns, w.checkpoint_id, null, null, null, null, null, null,
    x.channel, null, x.type, x.blob, null, null, x.task_id, x.task_path, x.idx
  from wanted as w
  -- checkpoint_writes_pkey
  cross join
    lateral (
      select y.channel, y.type, y.blob, y.task_id, y.task_path, y.idx
      from pgagent.checkpoint_writes as y
      where
        y.thread_id = w.thread_id
        and y.checkpoint_ns = w.checkpoint_ns
        and y.checkpoint_id = w.checkpoint_id
        and list_checkpoints.with_values
      offset 0
    ) as x
  union all
  select
    'sent', w.thread_id, w.checkpoint_ns, w.checkpoint_id, null, null, null, null, null, null,
    x.channel, null, x.type, x.blob, null, null, x.task_id, x.task_path, x.idx
  from wanted as w
  -- checkpoint_writes_pkey
  cross join
    lateral (
      select y.channel, y.type, y.blob, y.task_id, y.task_path, y.idx
      from pgagent.checkpoint_writes as y
      where
        y.thread_id = w.thread_id
        and y.checkpoint_ns = w.checkpoint_ns
        and y.checkpoint_id = w.parent_checkpoint_id
        and y.channel = '__pregel_tasks'
      offset 0
    ) as x
  where
    jsonb_typeof(w.checkpoint -> 'v') = 'number'
    and w.checkpoint -> 'v' < '4'::jsonb
  order by kind, created_at desc nulls last, seq desc nulls last, task_path, task_id, idx;
end
$$;

comment on function pgagent.list_checkpoints(
  text, text, text, jsonb, integer, text, boolean
) is
'Lists checkpoints with their channel values and writes, newest first.';
