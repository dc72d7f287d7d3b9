-- Reads one checkpoint whole, in one call: the latest of a namespace, or one by its id.
--
-- Returns rows, by kind:
--   thread      at most one: token is the thread's fencing token, also of a deleted thread. A saver
--               hands it back as seen_token.
--   checkpoint  at most one: ids, checkpoint, metadata; type and blob are its inline values.
--   value       one a channel that is stored apart: channel, version, type, blob, saved. Instead of
--               a blob it may have runs: ranges of the channel's items that make up the value, in
--               order; type is then list, or dict (items are pairs).
--   item        one an item that a value's runs name: channel, type, blob; idx is its number.
--   write       one a stored write, in the order they apply: task_id, idx, channel, type, blob.
--   sent        of a checkpoint of a format before 4: one for each write of its parent that sends a
--               task, in order. They are the value of its channel __pregel_tasks.
-- Reads under row security; locks nothing.
create function pgagent.get_checkpoint(
  thread_id text, checkpoint_ns text default '', checkpoint_id text default null
)
returns table (
  kind text, thread text, ns text, id text, parent_id text, seq bigint, created_at timestamptz,
  checkpoint jsonb, metadata jsonb, token bigint, channel text, version text, type text,
  blob bytea, runs int4range[], saved bigint, task_id text, task_path text, idx integer
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c pgagent.checkpoints;
  b record;
begin
  thread := get_checkpoint.thread_id;
  select s.fencing_token into token
  from pgagent.agent_sessions as s
  where s.thread_id = get_checkpoint.thread_id;
  if found then
    kind := 'thread';
    return next;
  end if;

  if get_checkpoint.checkpoint_id is null then
    -- checkpoints_seq_is_unique, read backwards
    select x.* into c
    from pgagent.checkpoints as x
    where x.thread_id = get_checkpoint.thread_id
      and x.checkpoint_ns = get_checkpoint.checkpoint_ns
    order by x.seq desc
    limit 1;
  else
    -- checkpoints_pkey, as in _checkpoint
    select x.* into c
    from pgagent.checkpoints as x
    where x.thread_id = get_checkpoint.thread_id
      and x.checkpoint_ns = get_checkpoint.checkpoint_ns
      and x.checkpoint_id >= get_checkpoint.checkpoint_id
      and x.checkpoint_id <= get_checkpoint.checkpoint_id
    order by x.checkpoint_id
    limit 1;
  end if;
  if not found then
    return;
  end if;
  return query
  select
    'checkpoint', c.thread_id, c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.seq,
    c.created_at, c.checkpoint, c.metadata, null::bigint, null, null, c.inline_type,
    c.inline_values, null::int4range[], null::bigint, null, null, null::integer;

  for b in
    select x.channel, x.version, x.type, x.blob, x.runs, x.saved
    from jsonb_each_text(c.checkpoint -> 'channel_versions') as v (channel, version)
    -- checkpoint_blobs_pkey, by look-ups: `offset 0` keeps the planner from a join, which may read
    -- all that the thread ever stored.
    cross join lateral (
      select y.*
      from pgagent.checkpoint_blobs as y
      where y.thread_id = c.thread_id
        and y.checkpoint_ns = c.checkpoint_ns
        and y.channel = v.channel
        and y.version = v.version
      offset 0
    ) as x
  loop
    return query
    select
      'value', c.thread_id, c.checkpoint_ns, c.checkpoint_id, null, null::bigint,
      null::timestamptz, null::jsonb, null::jsonb, null::bigint, b.channel, b.version, b.type,
      b.blob, b.runs, b.saved, null, null, null::integer;
    if b.runs is not null then
      return query
      select
        'item', c.thread_id, c.checkpoint_ns, null, null, null::bigint, null::timestamptz,
        null::jsonb, null::jsonb, null::bigint, b.channel, null, i.type, i.blob,
        null::int4range[], null::bigint, null, null, i.seq
      from unnest((select range_agg(r.run) from unnest(b.runs) as r (run))) as m (run)
      -- checkpoint_items_pkey, by look-ups: a join by range reads and filters the whole log.
      cross join lateral (
        select y.seq, y.type, y.blob
        from pgagent.checkpoint_items as y
        where y.thread_id = c.thread_id
          and y.checkpoint_ns = c.checkpoint_ns
          and y.channel = b.channel
          and y.seq >= lower(m.run)
          and y.seq < upper(m.run)
        offset 0
      ) as i;
    end if;
  end loop;

  -- checkpoint_writes_pkey
  return query
  select
    'write', c.thread_id, c.checkpoint_ns, c.checkpoint_id, null, null::bigint,
    null::timestamptz, null::jsonb, null::jsonb, null::bigint, y.channel, null, y.type, y.blob,
    null::int4range[], null::bigint, y.task_id, y.task_path, y.idx
  from pgagent.checkpoint_writes as y
  where y.thread_id = c.thread_id
    and y.checkpoint_ns = c.checkpoint_ns
    and y.checkpoint_id = c.checkpoint_id
  order by y.task_path, y.task_id, y.idx;

  if jsonb_typeof(c.checkpoint -> 'v') = 'number' and c.checkpoint -> 'v' < '4'::jsonb then
    return query
    select
      'sent', c.thread_id, c.checkpoint_ns, c.checkpoint_id, null, null::bigint,
      null::timestamptz, null::jsonb, null::jsonb, null::bigint, y.channel, null, y.type, y.blob,
      null::int4range[], null::bigint, y.task_id, y.task_path, y.idx
    from pgagent.checkpoint_writes as y
    where y.thread_id = c.thread_id
      and y.checkpoint_ns = c.checkpoint_ns
      and y.checkpoint_id = c.parent_checkpoint_id
      and y.channel = '__pregel_tasks'
    order by y.task_path, y.task_id, y.idx;
  end if;
end
$$;

comment on function pgagent.get_checkpoint(text, text, text) is
'Reads one checkpoint with its channel values and pending writes: the latest, or one by id.';
