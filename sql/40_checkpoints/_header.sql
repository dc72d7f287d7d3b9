-- Headers of savers: what put_checkpoint and put_writes share. One member of a header lists the
-- values of the call: `channels` or `writes`. The `inline` of a checkpoint is one more.

-- What holds of each value, as part of a jsonpath: it has a type, and lies in a body of $bytes.
-- Inlined, as the next one is: a constant in every plan.
create function pgagent._lies_in_body()
returns text
language sql
immutable
parallel safe
begin atomic
  select
    '@.type.type() == "string" && @.type != ""
    && @.offset >= 0 && @.offset.floor() == @.offset
    && @.length >= 0 && @.length.floor() == @.length && @.offset + @.length <= $bytes';
end;

comment on function pgagent._lies_in_body() is
'Part of a jsonpath: a value has a type, and lies in the body.';

-- Where the members of a header, or their elements, have a digest that is no hex text of a named
-- format, or a saving that is no count.
create function pgagent._bad_digests()
returns jsonpath
language sql
immutable
parallel safe
begin atomic
  select
    'lax $.*[*] ? (
      exists(@.digest) && @.digest != null
      && !(
        @.digest.type() == "string" && @.digest like_regex "^([0-9a-f]{2})+$"
        && @.digest_format.type() == "string"
      )
      || exists(@.saved)
      && !(
        @.saved.type() == "number" && @.saved >= 0 && @.saved.floor() == @.saved
        && @.saved <= 9007199254740992
      )
    )'::jsonpath;
end;

comment on function pgagent._bad_digests() is
'Finds digests and savings in a header that cannot be used.';

-- Whether a header is one of the usual kind, which _check_saver_header would pass: true proves it,
-- anything else says nothing. One expression, without a query or a call: with them, the checks are
-- a fifth of a put's time on the server.
--
-- In strict mode what cannot be compared is unknown, and unknown does not count as passing. A name
-- of 63 characters has at most 252 bytes.
create function pgagent._is_usual_header(header jsonb, body bytea, member text)
returns boolean
language sql
stable
parallel safe
begin atomic
  select
    octet_length(body) <= pgagent._limit('value')
    and jsonb_typeof(header -> 'thread_id') = 'string'
    and octet_length(header ->> 'thread_id') between 1 and pgagent._limit('thread_id')
    and jsonb_typeof(header -> 'checkpoint_id') = 'string'
    and octet_length(header ->> 'checkpoint_id') between 1 and pgagent._limit('name')
    and jsonb_typeof(header -> 'checkpoint_ns') = 'string'
    and octet_length(header ->> 'checkpoint_ns') <= pgagent._limit('checkpoint_ns')
    and (
      header ->> 'seen_token' is null
      or jsonb_typeof(header -> 'seen_token') = 'number'
      and header ->> 'seen_token' ~ '^[0-9]{1,15}$'
    )
    and jsonb_typeof(header -> member) = 'array'
    and jsonb_array_length(header -> member) = jsonb_array_length(
      jsonb_path_query_array(
        header -> member,
        (
          'strict $[*] ? (' || pgagent._lies_in_body() || '
            && @.channel like_regex "^.{1,63}$" flag "s"
            && (
              $is == "channels" && @.version like_regex "^.{1,63}$" flag "s"
              || $is == "writes"
              && @.idx.floor() == @.idx && @.idx >= -2147483648 && @.idx <= 2147483647
            )
          )'
        )::jsonpath,
        jsonb_build_object('bytes', octet_length(body), 'is', member),
        true
      )
    )
    and (
      header ->> 'inline' is null
      or jsonb_path_exists(
        header -> 'inline',
        (
          'strict $ ? (@.type() == "object" && ' || pgagent._lies_in_body() || '
            && @.channels.type() == "array" && !(exists(@.channels[*] ? (@.type() != "string")))
          )'
        )::jsonpath,
        jsonb_build_object('bytes', octet_length(body)),
        true
      )
      -- The slow check looks for names in it, too.
      and not header -> 'inline' ?| array['channel', 'version']
    )
    -- Of every member, which is more than there can be in the two.
    and not jsonb_path_exists(header, pgagent._bad_digests());
end;

comment on function pgagent._is_usual_header(jsonb, bytea, text) is
'True for a header that needs no closer look; anything else says nothing.';

-- Raises PA008 or PA009 for a header that cannot be used.
--
-- member: 'channels' or 'writes', which lists the values.
create function pgagent._check_saver_header(header jsonb, body bytea, member text)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_value jsonb;
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
  if (
    jsonb_typeof(header -> 'thread_id') = 'string'
    and jsonb_typeof(header -> 'checkpoint_ns') = 'string'
    and jsonb_typeof(header -> 'checkpoint_id') = 'string'
    and jsonb_typeof(header -> member) = 'array'
    and jsonb_typeof(coalesce(header -> 'inline', '{}')) in ('object', 'null')
  ) is not true then
    perform pgagent._raise(
      'PA008',
      format('thread_id, checkpoint_ns and checkpoint_id must be strings, %s an array', member),
      '', 'The root namespace is ''''.'
    );
  end if;
  perform pgagent._check_name('thread_id', header ->> 'thread_id', 'thread_id');
  perform pgagent._check_name('checkpoint_id', header ->> 'checkpoint_id');
  if octet_length(header ->> 'checkpoint_ns') > pgagent._limit('checkpoint_ns') then
    perform pgagent._raise(
      'PA009', format('checkpoint_ns is longer than %s bytes', pgagent._limit('checkpoint_ns')),
      format('limit: checkpoint_ns, bytes: %s', octet_length(header ->> 'checkpoint_ns'))
    );
  end if;
  perform pgagent._check_count('seen_token', header -> 'seen_token');

  select e.element into v_value
  from jsonb_array_elements(
    header -> member || coalesce(nullif(header -> 'inline', 'null'), '[]')
  ) with ordinality as e (element, ordinal)
  where octet_length(e.element ->> 'channel') > pgagent._limit('name')
    or octet_length(e.element ->> 'version') > pgagent._limit('name')
    or not jsonb_path_exists(
      e.element,
      (
        'strict $ ? (' || pgagent._lies_in_body() || '
          && ($is == null || @.channel.type() == "string" && @.channel != "")
          && (
            $is != null
            || @.channels.type() == "array" && !(exists(@.channels[*] ? (@.type() != "string")))
          )
          && ($is != "channels" || @.version.type() == "string" && @.version != "")
          && (
            $is != "writes"
            || @.idx.floor() == @.idx && @.idx >= -2147483648 && @.idx <= 2147483647
          )
        )'
      )::jsonpath,
      jsonb_build_object(
        'bytes', octet_length(body),
        'is', case when e.ordinal <= jsonb_array_length(header -> member) then member end
      )
    )
    or jsonb_path_exists(jsonb_build_object('value', e.element), pgagent._bad_digests())
  limit 1;
  if found then
    if octet_length(v_value ->> 'channel') > pgagent._limit('name') then
      perform pgagent._check_name('channel', v_value ->> 'channel');
    elsif octet_length(v_value ->> 'version') > pgagent._limit('name') then
      perform pgagent._check_name('version', v_value ->> 'version');
    end if;
    perform pgagent._raise(
      'PA008', 'a value has no name or type, lies outside the body, or its digest is no hex text',
      format('value: %s, bytes in body: %s', left(v_value::text, 500), octet_length(body))
    );
  end if;
end
$$;

comment on function pgagent._check_saver_header(jsonb, bytea, text) is
'Raises PA008 or PA009 when the header of a saver''s call cannot be used.';

-- The bytes of a value.
create function pgagent._slice(body bytea, value jsonb)
returns bytea
language sql
immutable
parallel safe
begin atomic
  select substr(body, (value -> 'offset')::integer + 1, (value -> 'length')::integer);
end;

comment on function pgagent._slice(bytea, jsonb) is
'The bytes of a body that offset and length name.';
