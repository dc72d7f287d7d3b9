-- What of a thread nothing leads to: versions that no stored checkpoint names, items that no
-- version needs, and writes of checkpoints that are not stored. What is live is said here and in
-- _live.sql, for prune and for sweeps.
--
-- stored_before: what was stored later is passed over; 'infinity': nothing is.

-- Versions and items, by the place of their rows. What a version that is passed over is made of
-- stays as well.
-- Windows and unions, and no anti-joins: a plan that was made when the tables were small would go
-- through all versions for each of them.
create function pgagent._orphan_values(thread_id text, stored_before timestamptz)
returns table (kind text, place tid, bytes bigint)
language sql
stable
begin atomic
  with named_or_stored as (
    select
      c.checkpoint_ns, v.channel, v.version, true as is_named, null::tid as place,
      null::int4range[] as runs, null::bigint as bytes, false as may_go
    from pgagent.checkpoints as c
    cross join lateral jsonb_each_text(c.checkpoint -> 'channel_versions') as v (channel, version)
    where c.thread_id = _orphan_values.thread_id
    union all
    select
      b.checkpoint_ns, b.channel, b.version, false, b.ctid, b.runs,
      coalesce(pg_column_size(b.blob), pg_column_size(b.runs)),
      b.created_at < _orphan_values.stored_before
    from pgagent.checkpoint_blobs as b
    where b.thread_id = _orphan_values.thread_id
  ),

  versions as materialized (
    select
      x.checkpoint_ns, x.channel, x.place, x.runs, x.bytes,
      x.may_go
      and not bool_or(x.is_named) over (
        partition by x.checkpoint_ns, x.channel, x.version
      ) as is_orphan
    from named_or_stored as x
  ),

  -- Each log of items, with what is needed of it.
  logs as materialized (
    select u.checkpoint_ns, u.channel, range_agg(u.run) as needed
    from (
      select v.checkpoint_ns, v.channel, r.run
      from versions as v
      cross join lateral unnest(v.runs) as r (run)
      where not v.is_orphan
      union all
      select distinct i.checkpoint_ns, i.channel, 'empty'::int4range
      from pgagent.checkpoint_items as i
      where i.thread_id = _orphan_values.thread_id
    ) as u
    group by u.checkpoint_ns, u.channel
  )

  select 'version', v.place, v.bytes
  from versions as v
  where v.is_orphan
  union all
  select 'item', i.place, i.bytes
  from logs as l
  cross join lateral (
    -- checkpoint_items_pkey
    select x.ctid as place, pg_column_size(x.blob) as bytes
    from pgagent.checkpoint_items as x
    where
      x.thread_id = _orphan_values.thread_id
      and x.checkpoint_ns = l.checkpoint_ns
      and x.channel = l.channel
      and x.created_at < _orphan_values.stored_before
      and not x.seq <@ l.needed
    offset 0
  ) as i;
end;

comment on function pgagent._orphan_values(text, timestamptz) is
'Versions that no checkpoint of a thread names, and items that no version needs.';

-- Writes of checkpoints that are not stored; but not what these sent to a stored checkpoint of an
-- old format.
create function pgagent._orphan_writes(thread_id text, stored_before timestamptz)
returns table (place tid, bytes bigint)
language sql
stable
begin atomic
  select w.ctid, pg_column_size(w.blob)
  from pgagent.checkpoint_writes as w
  where
    w.thread_id = _orphan_writes.thread_id
    and w.created_at < _orphan_writes.stored_before
    -- checkpoints_pkey
    and not exists (
      select
      from pgagent.checkpoints as c
      where
        c.thread_id = w.thread_id
        and c.checkpoint_ns = w.checkpoint_ns
        and c.checkpoint_id = w.checkpoint_id
    )
    -- By a hash: no index has the parents.
    and not (
      w.channel = '__pregel_tasks'
      and (w.checkpoint_ns, w.checkpoint_id) in (
        select c.checkpoint_ns, c.parent_checkpoint_id
        from pgagent.checkpoints as c
        where
          c.thread_id = _orphan_writes.thread_id
          and c.parent_checkpoint_id is not null
          and pgagent._is_of_old_format(c.checkpoint)
      )
    );
end;

comment on function pgagent._orphan_writes(text, timestamptz) is
'Writes of checkpoints of a thread that are not stored, and that none of those needs.';

-- Deletes versions and items that nothing leads to; the caller holds the session.
create function pgagent._delete_values(thread_id text, stored_before timestamptz)
returns table (versions bigint, version_bytes bigint, items bigint, item_bytes bigint)
language sql
volatile
begin atomic
  with orphans as materialized (
    select o.kind, o.place, o.bytes
    from pgagent._orphan_values(_delete_values.thread_id, _delete_values.stored_before) as o
  ),

  gone_versions as (
    delete from pgagent.checkpoint_blobs as b
    using orphans as o
    where b.thread_id = _delete_values.thread_id and b.ctid = o.place and o.kind = 'version'
    returning o.bytes
  ),

  gone_items as (
    delete from pgagent.checkpoint_items as i
    using orphans as o
    where i.thread_id = _delete_values.thread_id and i.ctid = o.place and o.kind = 'item'
    returning o.bytes
  ),

  counted_versions as (
    select count(*) as rows_gone, coalesce(sum(g.bytes), 0)::bigint as bytes_gone
    from gone_versions as g
  ),

  counted_items as (
    select count(*) as rows_gone, coalesce(sum(g.bytes), 0)::bigint as bytes_gone
    from gone_items as g
  )

  select
    v.rows_gone as versions, v.bytes_gone as version_bytes, i.rows_gone as items,
    i.bytes_gone as item_bytes
  from counted_versions as v
  cross join counted_items as i;
end;

comment on function pgagent._delete_values(text, timestamptz) is
'Deletes versions and items of a thread that nothing leads to.';
