-- What some channels are rebuilt from that a checkpoint has no value of: the nearest value among
-- its ancestors, and what was written since.
--
-- checkpoint_id: the checkpoint; null: the latest of the namespace. Its own value and writes are
--                not part of the answer.
-- channels:      names of channels.
-- Returns rows, by kind; those of a channel in the order in which they apply:
--   value  the nearest value: channel, version, type, and blob or runs, as in get_checkpoint
--   inline the same for one that is stored in its checkpoint's row: type and blob are those of the
--          mapping that holds it
--   item   the items of values, as in get_checkpoint
--   write  channel, type, blob, task_id
-- A channel that no ancestor has a value of begins empty. Forks do not count: only ancestors do.
-- Reads under row security; locks nothing.
-- Raises: PA010 an ancestor is not stored, or the history goes round: the value cannot be rebuilt.
create function pgagent.delta_channel_history(
  thread_id text, checkpoint_ns text, checkpoint_id text, channels text[]
)
returns table (
  kind text, channel text, version text, type text, blob bytea, runs int4range[], task_id text,
  idx integer
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  a record;
  v_channel text;
  v_target pgagent.checkpoints := pgagent._checkpoint(
    delta_channel_history.thread_id, delta_channel_history.checkpoint_ns,
    coalesce(
      delta_channel_history.checkpoint_id,
      pgagent._newest(delta_channel_history.thread_id, delta_channel_history.checkpoint_ns)
    )
  );
begin
  -- wanted: what is not found yet when the walk comes here; left_over: when it goes on.
  for a in
    with recursive visited as (
      select
        v_target.seq, v_target.parent_checkpoint_id, null::pgagent.checkpoints as c,
        '{}'::text[] as wanted, delta_channel_history.channels as left_over
      where v_target.seq is not null
      union all
      select
        p.seq, p.parent_checkpoint_id, p.c, v.left_over, pgagent._without_value(p.c, v.left_over)
      from visited as v
      -- checkpoints_pkey, as in _checkpoint
      left join lateral (
        select x.seq, x.parent_checkpoint_id, x as c
        from pgagent.checkpoints as x
        where x.thread_id = delta_channel_history.thread_id
          and x.checkpoint_ns = delta_channel_history.checkpoint_ns
          and x.checkpoint_id >= v.parent_checkpoint_id
          and x.checkpoint_id <= v.parent_checkpoint_id
          and x.seq < v.seq
        order by x.checkpoint_id
        limit 1
      ) as p on true
      where v.left_over <> '{}' and v.parent_checkpoint_id is not null
    )

    select v.seq, v.c, v.wanted, v.left_over
    from visited as v
    where v.wanted <> '{}'
    order by v.seq nulls first
  loop
    if a.seq is null then
      perform pgagent._raise(
        'PA010', 'an ancestor is not stored: these channels cannot be rebuilt',
        format('channels: %s', array_to_string(a.wanted, ', ')),
        'Only prune_history and delete_runs keep what is needed; restore it, or start a new thread.'
      );
    end if;
    foreach v_channel in array a.wanted loop
      if v_channel <> all(a.left_over) then
        return query
        select f.* from pgagent._stored_value(a.c, v_channel) as f;
      end if;
    end loop;
    -- checkpoint_writes_pkey
    return query
    select
      'write', w.channel::text, null, w.type::text, w.blob, null::int4range[], w.task_id::text,
      w.idx
    from pgagent.checkpoint_writes as w
    where w.thread_id = (a.c).thread_id
      and w.checkpoint_ns = (a.c).checkpoint_ns
      and w.checkpoint_id = (a.c).checkpoint_id
      and w.channel = any(a.wanted)
    order by w.task_path, w.task_id, w.idx;
  end loop;
end
$$;

comment on function pgagent.delta_channel_history(text, text, text, text[]) is
'What channels are rebuilt from: their nearest stored values, and what was written since.';

-- The value of a channel in a checkpoint, as rows of delta_channel_history; none when it has none.
create function pgagent._stored_value(c pgagent.checkpoints, channel text)
returns table (
  kind text, channel text, version text, type text, blob bytea, runs int4range[], task_id text,
  idx integer
)
language sql
stable
begin atomic
  with stored as (
    select b.version, b.type, b.blob, b.runs
    from pgagent.checkpoint_blobs as b
    where
      b.thread_id = (c).thread_id
      and b.checkpoint_ns = (c).checkpoint_ns
      and b.channel = _stored_value.channel
      and b.version = (c).checkpoint -> 'channel_versions' ->> _stored_value.channel
  ),

  ranges as (
    select r.run
    from stored as b
    cross join lateral unnest(b.runs) as r (run)
  ),

  items as (
    select i.*
    from ranges as r
    -- checkpoint_items_pkey, by look-ups as in get_checkpoint
    cross join
      lateral (
        select x.seq, x.type, x.blob
        from pgagent.checkpoint_items as x
        where
          x.thread_id = (c).thread_id
          and x.checkpoint_ns = (c).checkpoint_ns
          and x.channel = _stored_value.channel
          and x.seq >= lower(r.run)
          and x.seq < upper(r.run)
        offset 0
      ) as i
  )

  select
    'inline', _stored_value.channel, null, (c).inline_type, (c).inline_values, null::int4range[],
    null, null::integer
  where _stored_value.channel = any((c).inline_channels)
  union all
  select 'value', _stored_value.channel, b.version, b.type, b.blob, b.runs, null, null
  from stored as b
  union all
  select 'item', _stored_value.channel, null, i.type, i.blob, null, null, i.seq
  from items as i;
end;

comment on function pgagent._stored_value(pgagent.checkpoints, text) is
'The value of a channel in a checkpoint, as rows of delta_channel_history.';
