-- Values that are told as parts of an earlier version; see _put_values.

-- Whether a value is one new item behind some of its base's, which _check_items would pass: what
-- most puts bring. True proves it, anything else says nothing.
create function pgagent._is_append(value jsonb)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select jsonb_path_exists(
    value,
    'strict $ ? (
      (@.type == "list" || @.type == "dict") && @.base.type() == "string"
      && @.lengths.type() == "array" && @.lengths.size() == 1 && @.lengths[0] == @.length
      && @.parts.type() == "array" && @.parts.size() == 2 && @.parts[1] == 1
      && @.parts[0].type() == "array" && @.parts[0].size() == 2
      && @.parts[0][0] >= 0 && @.parts[0][0].floor() == @.parts[0][0]
      && @.parts[0][1] > @.parts[0][0] && @.parts[0][1].floor() == @.parts[0][1]
      && @.parts[0][1] < 2147483647 && @.types.type() == "string"
      && @.size >= 0 && @.size.floor() == @.size && @.size <= 9007199254740992
    )',
    '{}',
    true
  );
end;

comment on function pgagent._is_append(jsonb) is
'True for a value that is one new item behind some of its base''s; anything else says nothing.';

-- Raises PA008 for a value whose parts cannot be used.
create function pgagent._check_items(value jsonb)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_problem text;
begin
  v_problem := case
    when value ->> 'type' not in ('list', 'dict') then 'type must be list or dict'
    when jsonb_typeof(value -> 'base') not in ('string', 'null') then 'base must be a version'
    when jsonb_typeof(value -> 'parts') <> 'array' or jsonb_path_exists(
      value -> 'parts',
      'strict $[*] ? (!(
        @.type() == "number" && @ > 0 && @.floor() == @ && @ < 2147483647
        || @.type() == "array" && @.size() == 2
        && @[0].type() == "number" && @[0] >= 0 && @[0].floor() == @[0]
        && @[1].type() == "number" && @[1] > @[0] && @[1].floor() == @[1] && @[1] < 2147483647
      ))'
    ) then 'parts must be counts above 0 and pairs [from, to]'
    when jsonb_typeof(value -> 'lengths') is distinct from 'array'
      or jsonb_path_exists(
        value -> 'lengths',
        'strict $[*] ? (
          @.type() != "number" || !(@ >= 0 && @.floor() == @ && @ < 2147483647)
        )'
      ) then 'lengths must be an array of counts'
    when (
      select coalesce(sum(l.length::bigint), 0)
      from jsonb_array_elements(value -> 'lengths') as l (length)
    ) <> (value -> 'length')::bigint then 'lengths must add up to length'
    when (
      select coalesce(sum(p.part::bigint), 0)
      from jsonb_array_elements(value -> 'parts') as p (part)
      where jsonb_typeof(p.part) = 'number'
    ) <> jsonb_array_length(value -> 'lengths') then 'parts and lengths must count the same items'
    when not (
      jsonb_typeof(value -> 'types') = 'string'
      or jsonb_typeof(value -> 'types') = 'array'
      and jsonb_array_length(value -> 'types') = jsonb_array_length(value -> 'lengths')
      and not jsonb_path_exists(value -> 'types', 'strict $[*] ? (@.type() != "string")')
    ) is not false then 'types must be a type, or one for each item'
    when jsonb_typeof(value -> 'size') is distinct from 'number' then 'size must be a count'
  end;
  if v_problem is not null then
    perform pgagent._raise('PA008', v_problem, format('value: %s', left(value::text, 500)));
  end if;
  perform pgagent._check_count('size', value -> 'size');
end
$$;

comment on function pgagent._check_items(jsonb) is
'Raises PA008 for a value whose parts cannot be used.';

-- The runs of a value: what it keeps of the base's runs, and new numbers from `next` on, in order;
-- neighbours are merged. Raises PA008 for a part beyond the base.
create function pgagent._splice(base int4range[], parts jsonb, next integer)
returns int4range[]
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_runs int4range[] := array[]::int4range[];
  v_count integer := 0;
  v_part jsonb;
  v_source int4range[];
  v_run int4range;
  v_from integer;
  v_to integer;
  v_at integer;
  v_length integer;
  v_piece int4range;
begin
  for v_place in 0 .. jsonb_array_length(parts) - 1 loop
    v_part := parts -> v_place;
    if jsonb_typeof(v_part) = 'number' then
      v_from := 0;
      v_to := v_part::integer;
      v_source := array[int4range(next, next + v_to)];
      next := next + v_to;
    else
      v_from := (v_part -> 0)::integer;
      v_to := (v_part -> 1)::integer;
      v_source := coalesce(base, array[]::int4range[]);
    end if;
    v_at := 0;
    foreach v_run in array v_source loop
      v_length := upper(v_run) - lower(v_run);
      if v_at < v_to and v_at + v_length > v_from then
        v_piece := int4range(
          lower(v_run) + greatest(v_from - v_at, 0), lower(v_run) + least(v_to - v_at, v_length)
        );
        if v_count > 0 and upper(v_runs[v_count]) = lower(v_piece) then
          v_runs[v_count] := int4range(lower(v_runs[v_count]), upper(v_piece));
        else
          v_count := v_count + 1;
          v_runs[v_count] := v_piece;
        end if;
      end if;
      v_at := v_at + v_length;
      exit when v_at >= v_to;
    end loop;
    if v_at < v_to then
      perform pgagent._raise(
        'PA008', 'a part lies beyond its base', format('part: %s, items: %s', v_part, v_at)
      );
    end if;
  end loop;
  return v_runs;
end
$$;

comment on function pgagent._splice(int4range[], jsonb, integer) is
'The runs of a value that is told as parts of another one''s.';
