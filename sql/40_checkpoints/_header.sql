-- Headers of savers: what put_checkpoint and put_writes share.

-- Raises PA008 or PA009 for a header that cannot be used. Offsets and lengths must lie in the body.
create function pgagent._check_saver_header(header jsonb, body bytea)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_part jsonb;
begin
  if header is null or jsonb_typeof(header) <> 'object' then
    perform pgagent._raise('PA008', 'header must be a JSON object');
  end if;
  if body is null then
    perform pgagent._raise('PA008', 'body is required', '', 'A call without values takes ''''.');
  end if;
  if octet_length(body) > pgagent._limit('value') then
    perform pgagent._raise(
      'PA009', format('body is larger than %s bytes', pgagent._limit('value')),
      format('limit: value, bytes: %s', octet_length(body)),
      'Keep large objects elsewhere and store their address in the state.'
    );
  end if;
  perform pgagent._check_name('thread_id', header ->> 'thread_id', 'thread_id');
  perform pgagent._check_name('checkpoint_id', header ->> 'checkpoint_id');
  if jsonb_typeof(header -> 'checkpoint_ns') is distinct from 'string' then
    perform pgagent._raise('PA008', 'checkpoint_ns must be a string', '', 'The root is ''''.');
  end if;
  if octet_length(header ->> 'checkpoint_ns') > pgagent._limit('checkpoint_ns') then
    perform pgagent._raise(
      'PA009', format('checkpoint_ns is longer than %s bytes', pgagent._limit('checkpoint_ns')),
      format('limit: checkpoint_ns, bytes: %s', octet_length(header ->> 'checkpoint_ns'))
    );
  end if;
  if jsonb_typeof(header -> 'seen_token') not in ('number', 'null') then
    perform pgagent._raise('PA008', 'seen_token must be a number');
  end if;
  if jsonb_typeof(coalesce(header -> 'channels', header -> 'writes')) is distinct from 'array' then
    perform pgagent._raise('PA008', 'channels, or writes, must be an array');
  end if;
  for v_part in
    select p.part
    from jsonb_array_elements(
      coalesce(header -> 'channels', header -> 'writes')
      || coalesce(nullif(header -> 'inline', 'null'), '[]')
    ) as p (part)
  loop
    if jsonb_typeof(v_part -> 'offset') is distinct from 'number'
      or jsonb_typeof(v_part -> 'length') is distinct from 'number'
      or jsonb_typeof(v_part -> 'type') is distinct from 'string'
      or (v_part -> 'offset')::numeric < 0
      or (v_part -> 'length')::numeric < 0
      or (v_part -> 'offset')::numeric + (v_part -> 'length')::numeric > octet_length(body) then
      perform pgagent._raise(
        'PA008', 'a value has no type, or lies outside the body',
        format('value: %s, bytes in body: %s', left(v_part::text, 500), octet_length(body))
      );
    end if;
  end loop;
end
$$;

comment on function pgagent._check_saver_header(jsonb, bytea) is
'Raises PA008 or PA009 when the header of a saver''s call cannot be used.';

-- The bytes that a part of a header points at.
create function pgagent._slice(body bytea, part jsonb)
returns bytea
language sql
immutable
parallel safe
begin atomic
  select substr(body, (part -> 'offset')::integer + 1, (part -> 'length')::integer);
end;

comment on function pgagent._slice(
  bytea, jsonb
) is 'The bytes of a body that offset and length name.';

-- The step in a checkpoint's metadata; null when there is none that makes sense.
create function pgagent._step_of(metadata jsonb)
returns integer
language sql
immutable
parallel safe
begin atomic
  select
    case
      when jsonb_typeof(metadata -> 'step') = 'number'
        then
          case
            when (metadata -> 'step')::numeric between -2147483647 and 2147483647
              then (metadata -> 'step')::integer
          end
    end;
end;

comment on function pgagent._step_of(jsonb) is 'The step of a checkpoint, from its metadata.';
