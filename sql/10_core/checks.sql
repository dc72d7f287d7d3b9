-- Argument checks that every public function shares. Each returns nothing and raises PA008 or
-- PA009.

-- A name: present, not empty, not longer than the limit (`name` unless another is given).
create function pgagent._check_name(argument text, value text, limit_name text default 'name')
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if value is null or value = '' then
    perform pgagent._raise('PA008', format('%s is required', argument));
  end if;
  if octet_length(value) > pgagent._limit(limit_name) then
    perform pgagent._raise(
      'PA009', format('%s is longer than %s bytes', argument, pgagent._limit(limit_name)),
      format('limit: %s, bytes: %s', limit_name, octet_length(value)), 'See pgagent.limits.'
    );
  end if;
end
$$;

comment on function pgagent._check_name(text, text, text) is
'Raises PA008 when a name is null or empty, PA009 when it is too long.';

-- A JSON value within its limit; null passes.
create function pgagent._check_size(argument text, value jsonb, limit_name text)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_column_size(value) > pgagent._limit(limit_name) then
    perform pgagent._raise(
      'PA009', format('%s is larger than %s bytes', argument, pgagent._limit(limit_name)),
      format('limit: %s, bytes: %s', limit_name, pg_column_size(value)),
      'Keep large objects elsewhere and store their address. See pgagent.limits.'
    );
  end if;
end
$$;

comment on function pgagent._check_size(text, jsonb, text) is
'Raises PA009 when a JSON value is too large.';

-- A length of time within [0 s, 10 years], or more than zero when it must be.
create function pgagent._check_interval(
  argument text, value interval, above_zero boolean default false
)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if value is null or value < interval '0' or value > interval '10 years'
    or (above_zero and value = interval '0') then
    perform pgagent._raise(
      'PA008',
      format(
        '%s must be %s 0 and at most 10 years', argument,
        case when above_zero then 'more than' else 'at least' end
      ),
      format('%s: %s', argument, coalesce(value::text, 'null'))
    );
  end if;
end
$$;

comment on function pgagent._check_interval(text, interval, boolean) is
'Raises PA008 when a length of time is null, negative or longer than ten years.';

-- A JSON object within its limit.
create function pgagent._check_object(argument text, value jsonb, limit_name text)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if value is null or jsonb_typeof(value) <> 'object' then
    perform pgagent._raise(
      'PA008', format('%s must be a JSON object', argument),
      format('type: %s', coalesce(jsonb_typeof(value), 'null'))
    );
  end if;
  perform pgagent._check_size(argument, value, limit_name);
end
$$;

comment on function pgagent._check_object(text, jsonb, text) is
'Raises PA008 unless the value is a JSON object, PA009 when it is too large.';

-- A JSON array, within the limit for batches.
create function pgagent._check_array(argument text, value jsonb)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if value is null or jsonb_typeof(value) <> 'array' or jsonb_array_length(value) = 0 then
    perform pgagent._raise(
      'PA008', format('%s must be a JSON array of objects, with at least one', argument)
    );
  end if;
  if jsonb_array_length(value) > pgagent._limit('batch') then
    perform pgagent._raise(
      'PA009', format('%s has more than %s elements', argument, pgagent._limit('batch')),
      format('limit: batch, elements: %s', jsonb_array_length(value)), 'Send it in parts.'
    );
  end if;
end
$$;

comment on function pgagent._check_array(text, jsonb) is
'Raises PA008 unless the value is a non-empty array, PA009 when it has too many elements.';

-- The same, of objects alone.
create function pgagent._check_batch(argument text, value jsonb)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_array(argument, value);
  if jsonb_path_exists(value, 'strict $[*] ? (@.type() != "object")') then
    perform pgagent._raise(
      'PA008', format('%s must be a JSON array of objects, with at least one', argument)
    );
  end if;
end
$$;

comment on function pgagent._check_batch(text, jsonb) is
'Raises PA008 unless the value is a non-empty array of objects, PA009 when it has too many.';

-- A count given as JSON: null, or a whole number from 0 to 2^53.
create function pgagent._check_count(argument text, value jsonb)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if value is not null and jsonb_typeof(value) <> 'null' and (
    jsonb_typeof(value) <> 'number'
    or value::numeric not between 0 and 9007199254740992
    or value::numeric <> trunc(value::numeric)
  ) then
    perform pgagent._raise(
      'PA008', format('%s must be a count', argument), format('value: %s', left(value::text, 100))
    );
  end if;
end
$$;

comment on function pgagent._check_count(text, jsonb) is
'Raises PA008 unless a JSON value is null or a whole number that is not negative.';
