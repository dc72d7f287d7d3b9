-- What of a thread is live: checkpoints that are kept, what those are rebuilt from, and the
-- versions and items that any of these name (_orphans.sql has the rest). Prune, deletion by run,
-- copies and sweeps ask here.
-- Sets of checkpoints are two arrays, namespaces and numbers.

-- The channels that a checkpoint may leave to be rebuilt from the writes of its ancestors: those
-- that LangGraph counts in its metadata, or in that of the last before it which counts any.
create function pgagent._delta_channels(c pgagent.checkpoints)
returns text[]
language sql
stable
begin atomic
  select
    coalesce(
      (
        select array(select jsonb_object_keys(n.counters))
        from (
          -- checkpoints_delta_idx, read backwards
          select x.metadata -> 'counters_since_delta_snapshot' as counters
          from pgagent.checkpoints as x
          where
            x.thread_id = (c).thread_id
            and x.checkpoint_ns = (c).checkpoint_ns
            and x.seq <= (c).seq
            and x.metadata ? 'counters_since_delta_snapshot'
          order by x.seq desc
          limit 1
        ) as n
        where jsonb_typeof(n.counters) = 'object'
      ), '{}'
    );
end;

comment on function pgagent._delta_channels(pgagent.checkpoints) is
'Channels that a checkpoint may leave to be rebuilt from the writes of its ancestors.';

-- Those of some channels that have a version in a checkpoint, and no value.
create function pgagent._without_value(c pgagent.checkpoints, channels text[])
returns text[]
language sql
stable
begin atomic
  select coalesce(array_agg(n.channel order by n.channel), '{}')
  from unnest(channels) as n (channel)
  where
    (c).checkpoint -> 'channel_versions' ? n.channel
    and (n.channel = any((c).inline_channels)) is not true
    and not exists (
      select
      from pgagent.checkpoint_blobs as b
      where
        b.thread_id = (c).thread_id
        and b.checkpoint_ns = (c).checkpoint_ns
        and b.channel = n.channel
        and b.version = (c).checkpoint -> 'channel_versions' ->> n.channel
    );
end;

comment on function pgagent._without_value(pgagent.checkpoints, text[]) is
'Those of some channels that have a version in a checkpoint, and no value.';

-- Whether a checkpoint is of a format before 4, in which the writes of its parent hold what it was
-- sent.
create function pgagent._is_of_old_format(checkpoint jsonb)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select
    case jsonb_typeof(checkpoint -> 'v')
      when 'number' then (checkpoint -> 'v')::numeric < 4 else false
    end;
end;

comment on function pgagent._is_of_old_format(jsonb) is
'Whether the writes of its parent hold what a checkpoint was sent: formats before 4.';

-- Whether the writes of its parent hold what a checkpoint was sent.
create function pgagent._needs_parent(c pgagent.checkpoints)
returns boolean
language sql
stable
begin atomic
  select
    pgagent._is_of_old_format((c).checkpoint)
    and exists (
      select
      from pgagent.checkpoint_writes as w
      where
        w.thread_id = (c).thread_id
        and w.checkpoint_ns = (c).checkpoint_ns
        and w.checkpoint_id = (c).parent_checkpoint_id
        and w.channel = '__pregel_tasks'
    );
end;

comment on function pgagent._needs_parent(pgagent.checkpoints) is
'Whether the writes of its parent hold what a checkpoint of an old format was sent.';

-- The checkpoints that live when some are kept: these; for each channel without a value, the
-- ancestors back to the nearest that has one; and the parent whose writes one of an old format
-- needs.
create function pgagent._live_checkpoints(thread_id text, namespaces text[], numbers bigint[])
returns table (checkpoint_ns text, seq bigint)
language sql
stable
begin atomic
  with recursive kept as (
    select k.checkpoint_ns, k.seq
    from unnest(namespaces, numbers) as k (checkpoint_ns, seq)
  ),

  live as (
    select
      c.checkpoint_ns, c.seq, c.parent_checkpoint_id,
      pgagent._without_value(c, pgagent._delta_channels(c)) as needs,
      pgagent._needs_parent(c) as needs_parent
    from kept as k
    -- checkpoints_seq_is_unique
    cross join
      lateral (
        select x.*
        from pgagent.checkpoints as x
        where
          x.thread_id = _live_checkpoints.thread_id
          and x.checkpoint_ns = k.checkpoint_ns
          and x.seq = k.seq
        offset 0
      ) as c
    union
    select
      p.checkpoint_ns, p.seq, p.parent_checkpoint_id, pgagent._without_value(p, l.needs), false
    from live as l
    cross join
      lateral (
        select x.*
        from pgagent.checkpoints as x
        where
          x.thread_id = _live_checkpoints.thread_id
          and x.checkpoint_ns = l.checkpoint_ns
          and x.checkpoint_id = l.parent_checkpoint_id
        offset 0
      ) as p
    where l.needs <> '{}' or l.needs_parent
  )

  select distinct l.checkpoint_ns, l.seq from live as l;
end;

comment on function pgagent._live_checkpoints(text, text[], bigint[]) is
'Some checkpoints of a thread and those that they are rebuilt from.';

-- The newest checkpoint of each namespace, by one descent a namespace.
--
-- oldest_root: number of a root checkpoint; null: the newest one's.
-- is_past:     whether it is one of a subgraph call (the name has a task id) that ran under a root
--              checkpoint which is stored and older than that.
create function pgagent._namespaces(thread_id text, oldest_root bigint default null)
returns table (checkpoint_ns text, seq bigint, is_past boolean)
language sql
stable
begin atomic
  with recursive namespaces as (
    (
      select c.checkpoint_ns, c.seq, c.metadata
      from pgagent.checkpoints as c
      where c.thread_id = _namespaces.thread_id
      order by c.checkpoint_ns asc, c.seq desc
      limit 1
    )
    union all
    select c.checkpoint_ns, c.seq, c.metadata
    from namespaces as n
    cross join lateral (
      select x.*
      from pgagent.checkpoints as x
      where x.thread_id = _namespaces.thread_id and x.checkpoint_ns > n.checkpoint_ns
      order by x.checkpoint_ns asc, x.seq desc
      limit 1
    ) as c
  )

  select
    n.checkpoint_ns, n.seq,
    n.checkpoint_ns like '%:%'
    and exists (
      select from pgagent.checkpoints as root
      where
        root.thread_id = _namespaces.thread_id
        and root.checkpoint_ns = ''
        and root.checkpoint_id = n.metadata -> 'parents' ->> ''
        and root.seq < coalesce(_namespaces.oldest_root, head.seq)
    )
  from namespaces as n
  left join namespaces as head on head.checkpoint_ns = '';
end;

comment on function pgagent._namespaces(text, bigint) is
'The newest checkpoint of each namespace, and whether it is one of an older subgraph call.';
