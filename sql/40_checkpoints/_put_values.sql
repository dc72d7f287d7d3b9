-- How channel values are stored: whole, or as items of the channel's log.
--
-- A value of put_checkpoint's `channels` is stored as items when it has `parts`:
--   type     'list', or 'dict' (items are pairs)
--   base     the version it is told against; null when all of it is new
--   parts    in order: [from, to], items of the base by position; or a number, the next new items
--   types    serialiser type of the new items: one for all, or an array
--   lengths  bytes of each new item; they follow each other from `offset`
--   size     bytes of the whole value
-- The version row is a list of ranges of the log, so what the base had is not written again.

-- Stores the new values of a checkpoint. A version that is stored already is left as it is.
--
-- channels, body: as for put_checkpoint.
-- Locks:  nothing; the caller holds the session.
-- Raises: PA004 the version is stored with another value; PA007 the base is not stored, or not as
--         items; PA008 parts that cannot be used.
create function pgagent._put_values(
  thread_id text, checkpoint_ns text, channels jsonb, body bytea
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_value jsonb;
  v_blobs integer := jsonb_array_length(
    jsonb_path_query_array(channels, 'lax $[*] ? (!exists(@.parts))')
  );
  v_stored integer := 0;
begin
  if v_blobs > 0 then
    insert into pgagent.checkpoint_blobs (
      thread_id, checkpoint_ns, channel, version, type, blob, saved, digest, digest_format
    )
    select
      _put_values.thread_id, _put_values.checkpoint_ns, v.element ->> 'channel',
      v.element ->> 'version', v.element ->> 'type', pgagent._slice(body, v.element),
      coalesce((v.element -> 'saved')::bigint, 0), decode(v.element ->> 'digest', 'hex'),
      v.element ->> 'digest_format'
    from jsonb_array_elements(_put_values.channels) as v (element)
    where not v.element ? 'parts'
    on conflict on constraint checkpoint_blobs_pkey do nothing;
    get diagnostics v_stored = row_count;
  end if;

  for v_at in 0 .. jsonb_array_length(_put_values.channels) - 1 loop
    v_value := _put_values.channels -> v_at;
    if v_value ? 'parts' then
      perform pgagent._put_items(
        _put_values.thread_id, _put_values.checkpoint_ns, v_value, body
      );
    elsif v_stored < v_blobs then
      perform pgagent._check_repeat(_put_values.thread_id, _put_values.checkpoint_ns, v_value);
    end if;
  end loop;
end
$$;

comment on function pgagent._put_values(text, text, jsonb, bytea) is
'Stores the new channel values of a checkpoint, whole or as items.';

-- Stores one value as items.
create function pgagent._put_items(thread_id text, checkpoint_ns text, value jsonb, body bytea)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_channel text := value ->> 'channel';
  v_base text := value ->> 'base';
  v_base_runs int4range[];
  v_runs int4range[];
  v_spent integer := 0;
  v_next integer;
  v_count integer;
begin
  if pgagent._is_append(value) is not true then
    perform pgagent._check_items(value);
  end if;
  if v_base is not null then
    select b.runs, b.runs_spent into v_base_runs, v_spent
    from pgagent.checkpoint_blobs as b
    where b.thread_id = _put_items.thread_id
      and b.checkpoint_ns = _put_items.checkpoint_ns
      and b.channel = v_channel
      and b.version = v_base;
    if v_base_runs is null then
      perform pgagent._raise(
        'PA007', 'the version that this value builds on is not stored as items',
        format('channel: %s, base: %s', v_channel, v_base), 'Send the value whole.'
      );
    end if;
  end if;

  -- checkpoint_items_pkey, read backwards. Not the end of the base: a fork has taken those numbers.
  select i.seq into v_next
  from pgagent.checkpoint_items as i
  where i.thread_id = _put_items.thread_id
    and i.checkpoint_ns = _put_items.checkpoint_ns
    and i.channel = v_channel
  order by i.thread_id desc, i.checkpoint_ns desc, i.channel desc, i.seq desc
  limit 1;
  v_next := coalesce(v_next, 0) + 1;
  v_runs := pgagent._splice(v_base_runs, value -> 'parts', v_next);
  v_spent := v_spent + 14 * greatest(cardinality(v_runs) - 1, 0);

  insert into pgagent.checkpoint_blobs (
    thread_id, checkpoint_ns, channel, version, type, runs, runs_spent, digest, digest_format
  )
  values (
    _put_items.thread_id, _put_items.checkpoint_ns, v_channel, value ->> 'version',
    value ->> 'type', v_runs, v_spent, decode(value ->> 'digest', 'hex'),
    value ->> 'digest_format'
  )
  on conflict on constraint checkpoint_blobs_pkey do nothing;
  if not found then
    perform pgagent._check_repeat(_put_items.thread_id, _put_items.checkpoint_ns, value);
    return;
  end if;

  insert into pgagent.checkpoint_items (thread_id, checkpoint_ns, channel, seq, type, blob)
  select
    _put_items.thread_id, _put_items.checkpoint_ns, v_channel, v_next + n.ordinal - 1,
    coalesce(value -> 'types' ->> (n.ordinal - 1)::integer, value ->> 'types'),
    substr(body, n.begins + 1, n.length)
  from (
    select
      l.ordinal,
      l.length::integer as length,
      (value -> 'offset')::integer
        + (sum(l.length::integer) over (order by l.ordinal))::integer
        - l.length::integer as begins
    from jsonb_array_elements(value -> 'lengths') with ordinality as l (length, ordinal)
  ) as n;
  get diagnostics v_count = row_count;

  if cardinality(v_runs) > 1 and v_spent > (value -> 'size')::bigint then
    perform pgagent._gather_items(
      _put_items.thread_id, _put_items.checkpoint_ns, v_channel, value ->> 'version',
      v_next + v_count
    );
  end if;
end
$$;

comment on function pgagent._put_items(text, text, jsonb, bytea) is
'Stores one channel value as items of the channel''s log.';

-- Copies the items of a version to consecutive numbers, from `next` on, when its runs have cost
-- more than the value.
create function pgagent._gather_items(
  thread_id text, checkpoint_ns text, channel text, version text, next integer
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_count integer;
begin
  insert into pgagent.checkpoint_items (thread_id, checkpoint_ns, channel, seq, type, blob)
  select
    b.thread_id, b.checkpoint_ns, b.channel,
    next + row_number() over (order by r.ordinal, i.seq) - 1, i.type, i.blob
  from pgagent.checkpoint_blobs as b
  cross join lateral unnest(b.runs) with ordinality as r (run, ordinal)
  -- checkpoint_items_pkey, by look-ups as in get_checkpoint
  cross join lateral (
    select x.seq, x.type, x.blob
    from pgagent.checkpoint_items as x
    where x.thread_id = b.thread_id
      and x.checkpoint_ns = b.checkpoint_ns
      and x.channel = b.channel
      and x.seq >= lower(r.run)
      and x.seq < upper(r.run)
    offset 0
  ) as i
  where b.thread_id = _gather_items.thread_id
    and b.checkpoint_ns = _gather_items.checkpoint_ns
    and b.channel = _gather_items.channel
    and b.version = _gather_items.version;
  get diagnostics v_count = row_count;
  update pgagent.checkpoint_blobs as b
  set
    runs = array[int4range(next, next + v_count)],
    runs_spent = 0
  where b.thread_id = _gather_items.thread_id
    and b.checkpoint_ns = _gather_items.checkpoint_ns
    and b.channel = _gather_items.channel
    and b.version = _gather_items.version;
end
$$;

comment on function pgagent._gather_items(text, text, text, text, integer) is
'Copies the items of a version to consecutive numbers.';

-- Raises PA004 when a version is stored with another value. Digests of other formats prove nothing.
create function pgagent._check_repeat(thread_id text, checkpoint_ns text, value jsonb)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if exists (
    select from pgagent.checkpoint_blobs as b
    where b.thread_id = _check_repeat.thread_id
      and b.checkpoint_ns = _check_repeat.checkpoint_ns
      and b.channel = value ->> 'channel'
      and b.version = value ->> 'version'
      and b.digest_format = value ->> 'digest_format'
      and b.digest <> decode(value ->> 'digest', 'hex')
  ) then
    perform pgagent._raise(
      'PA004', 'the version is stored with another value',
      format('channel: %s, version: %s', value ->> 'channel', value ->> 'version'),
      'A value that changed needs a version of its own.'
    );
  end if;
end
$$;

comment on function pgagent._check_repeat(text, text, jsonb) is
'Raises PA004 when a version is stored with another value.';
