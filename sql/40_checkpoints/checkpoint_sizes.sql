-- How many bytes checkpoints have added to a thread: their own row, and of each channel what their
-- parent does not have. Compressed as they are stored; without indexes, and without the writes of
-- tasks.
--
-- checkpoint_ns:  the namespace.
-- checkpoint_ids: its checkpoints, at most 10,000; unknown ones are left out.
-- Returns: id and bytes.
-- Reads under row security, sizes only: values that are stored out of line are not fetched.
-- Raises: PA008 no list; PA009 too many.
create function pgagent.checkpoint_sizes(
  thread_id text, checkpoint_ns text, checkpoint_ids text[]
)
returns table (id text, bytes bigint)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
-- As for list_checkpoints.
set jit = off
as $$
#variable_conflict use_column
begin
  if checkpoint_ids is null then
    perform pgagent._raise('PA008', 'checkpoint_ids is required');
  end if;
  perform pgagent._check_page('checkpoint_ids', greatest(cardinality(checkpoint_ids), 1));
  return query
  select
    c.checkpoint_id::text,
    (
      pg_column_size(c.checkpoint) + pg_column_size(c.metadata)
      + coalesce(pg_column_size(c.inline_values), 0)
    )
    + coalesce(
      (
        select sum(coalesce(pg_column_size(b.blob), pg_column_size(b.runs) + i.bytes))
        from jsonb_each_text(c.checkpoint -> 'channel_versions') as v (channel, version)
        -- checkpoint_blobs_pkey
        cross join lateral (
          select x.*
          from pgagent.checkpoint_blobs as x
          where x.thread_id = c.thread_id
            and x.checkpoint_ns = c.checkpoint_ns
            and x.channel = v.channel
            and x.version = v.version
            and v.version is distinct from p.checkpoint -> 'channel_versions' ->> v.channel
          offset 0
        ) as b
        left join lateral (
          select x.runs
          from pgagent.checkpoint_blobs as x
          where x.thread_id = c.thread_id
            and x.checkpoint_ns = c.checkpoint_ns
            and x.channel = v.channel
            and x.version = p.checkpoint -> 'channel_versions' ->> v.channel
          offset 0
        ) as base on true
        cross join lateral (
          select coalesce(sum(pg_column_size(y.blob)), 0) as bytes
          from unnest(
            (select range_agg(r.run) from unnest(b.runs) as r (run))
            - coalesce((select range_agg(r.run) from unnest(base.runs) as r (run)), '{}')
          ) as m (run)
          -- checkpoint_items_pkey
          cross join lateral (
            select x.blob
            from pgagent.checkpoint_items as x
            where x.thread_id = c.thread_id
              and x.checkpoint_ns = c.checkpoint_ns
              and x.channel = b.channel
              and x.seq >= lower(m.run)
              and x.seq < upper(m.run)
            offset 0
          ) as y
        ) as i
      ), 0
    )::bigint
  from (select distinct u.id from unnest(checkpoint_ids) as u (id)) as n
  -- checkpoints_pkey, as in _checkpoint
  cross join lateral (
    select x.*
    from pgagent.checkpoints as x
    where x.thread_id = checkpoint_sizes.thread_id
      and x.checkpoint_ns = checkpoint_sizes.checkpoint_ns
      and x.checkpoint_id >= n.id
      and x.checkpoint_id <= n.id
    order by x.checkpoint_id
    limit 1
  ) as c
  left join lateral (
    select x.checkpoint
    from pgagent.checkpoints as x
    where x.thread_id = c.thread_id
      and x.checkpoint_ns = c.checkpoint_ns
      and x.checkpoint_id >= c.parent_checkpoint_id
      and x.checkpoint_id <= c.parent_checkpoint_id
    order by x.checkpoint_id
    limit 1
  ) as p on true;
end
$$;

comment on function pgagent.checkpoint_sizes(text, text, text[]) is
'How many bytes checkpoints have added to a thread.';
