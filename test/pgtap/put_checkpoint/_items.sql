-- Puts lists told as parts.
\ir ../_lib.sql

-- A version of channel c as parts of a base, with new items; `size` of the whole value.
create function pg_temp.put_items(
  id text, version text, base text, parts jsonb, items text[], size bigint default 1000,
  change jsonb default '{}'
) returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(
    jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', id, 'metadata', '{}'::jsonb,
      'checkpoint', jsonb_build_object('channel_versions', jsonb_build_object('c', version)),
      'channels', jsonb_build_array(jsonb_build_object(
        'channel', 'c', 'version', version, 'type', 'list', 'base', base, 'parts', parts,
        'types', 'text', 'offset', 0, 'length', octet_length(array_to_string(items, '')),
        'lengths', (
          select coalesce(jsonb_agg(octet_length(i.item) order by i.ordinal), '[]')
          from unnest(items) with ordinality as i (item, ordinal)
        ), 'size', size
      ) || change)
    ), convert_to(array_to_string(items, ''), 'UTF8')
  )
$$;

-- The items of a checkpoint's channel c, in order.
create function pg_temp.items_of(id text) returns text
language sql volatile
as $$
  select string_agg(convert_from(i.blob, 'UTF8'), ' ' order by r.ordinal, i.idx)
  from pgagent.get_checkpoint('t', '', id) as v
  cross join lateral unnest(v.runs) with ordinality as r (run, ordinal)
  join pgagent.get_checkpoint('t', '', id) as i on i.kind = 'item' and i.idx <@ r.run
  where v.kind = 'value'
$$;
