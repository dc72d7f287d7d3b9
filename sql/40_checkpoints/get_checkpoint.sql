-- Reads one checkpoint whole, in one call: the latest of a namespace, or one by its id.
--
-- Returns rows, by kind:
--   thread      at most one: token is the thread's fencing token, also of a deleted thread. A saver
--               hands it back as seen_token.
--   checkpoint  at most one: ids, checkpoint, metadata; type and blob are its inline values.
--   value       one a channel that is stored apart: channel, version, type, blob.
--   write       one a stored write, in the order they apply: task_id, idx, channel, type, blob.
-- Reads under row security; locks nothing.
create function pgagent.get_checkpoint(
  thread_id text, checkpoint_ns text default '', checkpoint_id text default null
)
returns table (
  kind text, thread text, ns text, id text, parent_id text, seq bigint, created_at timestamptz,
  checkpoint jsonb, metadata jsonb, token bigint, channel text, version text, type text,
  blob bytea, task_id text, task_path text, idx integer
)
language sql
stable
begin atomic
  with wanted as materialized (
  -- checkpoints_seq_is_unique, read backwards
    (
      select c.*
      from pgagent.checkpoints as c
      where
        get_checkpoint.checkpoint_id is null
        and c.thread_id = get_checkpoint.thread_id
        and c.checkpoint_ns = get_checkpoint.checkpoint_ns
      order by c.seq desc
      limit 1
    )
    union all
    select c.*
    from pgagent.checkpoints as c
    where
      c.thread_id = get_checkpoint.thread_id
      and c.checkpoint_ns = get_checkpoint.checkpoint_ns
      and c.checkpoint_id = get_checkpoint.checkpoint_id
  )

  select
    'thread', s.thread_id, null, null, null, null, null, null::jsonb, null::jsonb, s.fencing_token,
    null, null, null, null::bytea, null, null, null::integer
  from pgagent.agent_sessions as s
  where s.thread_id = get_checkpoint.thread_id
  union all
  select
    'checkpoint', w.thread_id, w.checkpoint_ns, w.checkpoint_id, w.parent_checkpoint_id, w.seq,
    w.created_at, w.checkpoint, w.metadata, null, null, null, w.inline_type, w.inline_values, null,
    null, null
  from wanted as w
  union all
  select
    'value', w.thread_id, w.checkpoint_ns, w.checkpoint_id, null, null, null, null, null, null,
    b.channel, b.version, b.type, b.blob, null, null, null
  from wanted as w
  cross join lateral jsonb_each_text(w.checkpoint -> 'channel_versions') as v (channel, version)
  -- checkpoint_blobs_pkey. `offset 0` keeps the look-up a look-up: a join may be planned as a scan
  -- of all that the thread ever stored.
  cross join
    lateral (
      select x.channel, x.version, x.type, x.blob
      from pgagent.checkpoint_blobs as x
      where
        x.thread_id = get_checkpoint.thread_id
        and x.checkpoint_ns = get_checkpoint.checkpoint_ns
        and x.channel = v.channel
        and x.version = v.version
      offset 0
    ) as b
  union all
  select
    'write', w.thread_id, w.checkpoint_ns, w.checkpoint_id, null, null, null, null, null, null,
    x.channel, null, x.type, x.blob, x.task_id, x.task_path, x.idx
  from wanted as w
  -- checkpoint_writes_pkey
  cross join
    lateral (
      select y.channel, y.type, y.blob, y.task_id, y.task_path, y.idx
      from pgagent.checkpoint_writes as y
      where
        y.thread_id = get_checkpoint.thread_id
        and y.checkpoint_ns = get_checkpoint.checkpoint_ns
        and y.checkpoint_id = w.checkpoint_id
      offset 0
    ) as x
  order by 1, 16, 15, 17;
end;

comment on function pgagent.get_checkpoint(text, text, text) is
'Reads one checkpoint with its channel values and pending writes: the latest, or one by id.';
