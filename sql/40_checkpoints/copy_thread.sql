-- Copies the checkpoints of a thread to a new one, with their writes and values.
--
-- source, target: thread ids; the target must not exist.
-- latest_only:    the newest checkpoint of each namespace and what it is rebuilt from, instead of
--                 all. The cost then grows with the state and the namespaces, not with the history.
-- Copies keep ids, numbers, order and times; they belong to no job, and the target, which has the
-- owner of the source, begins with fencing token 0. Messages, events and jobs are not copied.
-- Returns: how many checkpoints were copied.
-- Locks:   the source; the target.
-- Raises:  PA008 bad arguments; PA003 no such source; PA011 somebody else's; PA006 the source was
--          deleted or archived; PA004 the target exists.
-- Safe to repeat: a second call raises PA004.
create function pgagent.copy_thread(source text, target text, latest_only boolean default false)
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
-- As for list_checkpoints: compiling it is 27 ms of 73.
set jit = off
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
  v_namespaces text[];
  v_numbers bigint[];
begin
  perform pgagent._check_name('source', source, 'thread_id');
  perform pgagent._check_name('target', target, 'thread_id');
  if latest_only is null then
    perform pgagent._raise('PA008', 'latest_only must be true or false');
  end if;
  s := pgagent._hold(source);
  insert into pgagent.agent_sessions (
    thread_id, user_id, last_checkpoint_seq, head_checkpoint_id
  )
  values (target, s.user_id, s.last_checkpoint_seq, s.head_checkpoint_id)
  on conflict on constraint agent_sessions_pkey do nothing;
  if not found then
    perform pgagent._raise(
      'PA004', 'the target exists', format('target: %s', target),
      'A copy makes a new thread: choose an id that no thread has had.'
    );
  end if;

  if latest_only then
    select array_agg(h.checkpoint_ns), array_agg(h.seq) into v_namespaces, v_numbers
    from pgagent._namespaces(source) as h
    where not h.is_past;
    select array_agg(l.checkpoint_ns), array_agg(l.seq) into v_namespaces, v_numbers
    from pgagent._live_checkpoints(source, v_namespaces, v_numbers) as l;
  else
    select array_agg(c.checkpoint_ns), array_agg(c.seq) into v_namespaces, v_numbers
    from pgagent.checkpoints as c
    where c.thread_id = source;
  end if;
  return pgagent._copy_checkpoints(source, target, v_namespaces, v_numbers);
end
$$;

comment on function pgagent.copy_thread(text, text, boolean) is
'Copies the checkpoints of a thread, all or the latest, to a new one; returns how many.';

-- Copies some checkpoints of a thread to another, with their writes, versions and items.
create function pgagent._copy_checkpoints(
  source text, target text, namespaces text[], numbers bigint[]
)
returns bigint
language sql
volatile
begin atomic
  with named as (
    select n.checkpoint_ns, n.seq
    from unnest(namespaces, numbers) as n (checkpoint_ns, seq)
  ),

  chosen as materialized (
    select c.*
    from named as n
    -- checkpoints_seq_is_unique; this and the others by look-ups, as in get_checkpoint
    cross join lateral (
      select x.*
      from pgagent.checkpoints as x
      where x.thread_id = source and x.checkpoint_ns = n.checkpoint_ns and x.seq = n.seq
      offset 0
    ) as c
  ),

  versions as materialized (
    select b.*
    from (
      select distinct c.checkpoint_ns, v.channel, v.version
      from chosen as c
      cross join
        lateral jsonb_each_text(c.checkpoint -> 'channel_versions') as v (channel, version)
    ) as n
    -- checkpoint_blobs_pkey
    cross join lateral (
      select x.*
      from pgagent.checkpoint_blobs as x
      where
        x.thread_id = source
        and x.checkpoint_ns = n.checkpoint_ns
        and x.channel = n.channel
        and x.version = n.version
      offset 0
    ) as b
  ),

  copied_checkpoints as (
    insert into pgagent.checkpoints (
      thread_id, checkpoint_ns, checkpoint_id, seq, parent_checkpoint_id, checkpoint, metadata,
      inline_type, inline_values, inline_channels, run_id, created_at
    )
    select
      target, c.checkpoint_ns, c.checkpoint_id, c.seq, c.parent_checkpoint_id, c.checkpoint,
      c.metadata, c.inline_type, c.inline_values, c.inline_channels, c.run_id, c.created_at
    from chosen as c
  ),

  copied_versions as (
    insert into pgagent.checkpoint_blobs (
      thread_id, checkpoint_ns, channel, version, type, blob, runs, runs_spent, saved, digest,
      digest_format, created_at
    )
    select
      target, v.checkpoint_ns, v.channel, v.version, v.type, v.blob, v.runs, v.runs_spent,
      v.saved, v.digest, v.digest_format, v.created_at
    from versions as v
  ),

  copied_items as (
    insert into pgagent.checkpoint_items (
      thread_id, checkpoint_ns, channel, seq, type, blob, created_at
    )
    select target, m.checkpoint_ns, m.channel, i.seq, i.type, i.blob, i.created_at
    from (
      select v.checkpoint_ns, v.channel, unnest(range_agg(r.run)) as run
      from versions as v
      cross join lateral unnest(v.runs) as r (run)
      group by v.checkpoint_ns, v.channel
    ) as m
    -- checkpoint_items_pkey
    cross join lateral (
      select x.*
      from pgagent.checkpoint_items as x
      where
        x.thread_id = source
        and x.checkpoint_ns = m.checkpoint_ns
        and x.channel = m.channel
        and x.seq >= lower(m.run)
        and x.seq < upper(m.run)
      offset 0
    ) as i
  ),

  copied_writes as (
    insert into pgagent.checkpoint_writes (
      thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path,
      created_at
    )
    select
      target, w.checkpoint_ns, w.checkpoint_id, w.task_id, w.idx, w.channel, w.type, w.blob,
      w.task_path, w.created_at
    from chosen as c
    -- checkpoint_writes_pkey
    cross join lateral (
      select x.*
      from pgagent.checkpoint_writes as x
      where
        x.thread_id = source
        and x.checkpoint_ns = c.checkpoint_ns
        and x.checkpoint_id = c.checkpoint_id
      offset 0
    ) as w
  )

  select count(*) from chosen;
end;

comment on function pgagent._copy_checkpoints(text, text, text[], bigint[]) is
'Copies some checkpoints of a thread to another, with their writes, versions and items.';
