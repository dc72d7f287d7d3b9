-- What is wrong with a JSON value by a JSON Schema; null when nothing is. Checked are the keywords
-- that schemas of tools are made of: type, enum, const, required, properties, additionalProperties,
-- items, minItems, maxItems, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength,
-- maxLength, anyOf, oneOf (as anyOf), allOf and $ref into the schema's own $defs. Others say
-- nothing: the tool checks its arguments itself, this is for the person who edits them.
--
-- schema, value: what is checked; root: the schema as a whole, for $ref; path: where it stands.
create function pgagent._schema_fault(
  schema jsonb, value jsonb, root jsonb default null, path text default 'args',
  depth integer default 0
)
returns text
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_root jsonb := coalesce(root, schema);
  v_type text := jsonb_typeof(value);
  v_types jsonb := schema -> 'type';
  v_fault text;
  v_size numeric;
  r record;
begin
  if depth > 32 then
    return format('%s: the schema is too deep', path);
  elsif schema = 'false' then
    return format('%s is not allowed', path);
  elsif jsonb_typeof(schema) is distinct from 'object' then
    return null;
  end if;

  if schema ->> '$ref' like '#/%' then
    v_fault := pgagent._schema_fault(
      v_root #> string_to_array(substr(schema ->> '$ref', 3), '/'), value, v_root, path, depth + 1
    );
    if v_fault is not null then
      return v_fault;
    end if;
  end if;

  if jsonb_typeof(v_types) = 'string' then
    v_types := jsonb_build_array(v_types);
  end if;
  if jsonb_typeof(v_types) = 'array' then
    if not (
      v_types ? v_type
      or (v_types ? 'integer' and v_type = 'number' and value::numeric = trunc(value::numeric))
    ) then
      return format(
        '%s must be %s', path,
        (select string_agg(t.name, ' or ') from jsonb_array_elements_text(v_types) as t (name))
      );
    end if;
  end if;
  if jsonb_typeof(schema -> 'enum') = 'array' and not exists (
    select from jsonb_array_elements(schema -> 'enum') as e (allowed) where e.allowed = value
  ) then
    return format('%s must be one of %s', path, left(schema ->> 'enum', 200));
  end if;
  if schema -> 'const' <> value then
    return format('%s must be %s', path, left(schema ->> 'const', 200));
  end if;

  v_size := case v_type
    when 'number' then value::numeric
    when 'string' then length(value #>> '{}')
    when 'array' then jsonb_array_length(value)
  end;
  for r in
    select b.keyword, (schema ->> b.keyword)::numeric as bound
    from (
      values
      ('minimum', 'number'), ('maximum', 'number'), ('exclusiveMinimum', 'number'),
      ('exclusiveMaximum', 'number'), ('minLength', 'string'), ('maxLength', 'string'),
      ('minItems', 'array'), ('maxItems', 'array')
    ) as b (keyword, applies_to)
    where b.applies_to = v_type and jsonb_typeof(schema -> b.keyword) = 'number'
  loop
    if (
      case
        when r.keyword = 'exclusiveMinimum' then v_size <= r.bound
        when r.keyword = 'exclusiveMaximum' then v_size >= r.bound
        when r.keyword like 'min%' then v_size < r.bound
        else v_size > r.bound
      end
    ) then
      return format('%s: %s is %s', path, r.keyword, r.bound);
    end if;
  end loop;

  if v_type = 'object' then
    for r in
      select n.name
      from jsonb_array_elements_text(
        case when jsonb_typeof(schema -> 'required') = 'array' then schema -> 'required' end
      ) as n (name)
      where not value ? n.name
    loop
      return format('%s.%s is required', path, r.name);
    end loop;
    for r in
      select
        m.key, m.value,
        coalesce(schema -> 'properties' -> m.key, schema -> 'additionalProperties') as rule
      from jsonb_each(value) as m
    loop
      v_fault := pgagent._schema_fault(
        r.rule, r.value, v_root, format('%s.%s', path, left(r.key, 100)), depth + 1
      );
      if v_fault is not null then
        return v_fault;
      end if;
    end loop;
  elsif v_type = 'array' and jsonb_typeof(schema -> 'items') = 'object' then
    for r in
      select e.item as value, e.ordinal - 1 as n
      from jsonb_array_elements(value) with ordinality as e (item, ordinal)
    loop
      v_fault := pgagent._schema_fault(
        schema -> 'items', r.value, v_root, format('%s[%s]', path, r.n), depth + 1
      );
      if v_fault is not null then
        return v_fault;
      end if;
    end loop;
  end if;

  for r in
    select k.keyword, f.faults, f.fits
    from (values ('anyOf'), ('oneOf'), ('allOf')) as k (keyword)
    cross join lateral (
      select array_remove(array_agg(t.fault), null) as faults, count(*) > count(t.fault) as fits
      from (
        select pgagent._schema_fault(e.option, value, v_root, path, depth + 1) as fault
        from jsonb_array_elements(schema -> k.keyword) as e (option)
      ) as t
    ) as f
    where jsonb_typeof(schema -> k.keyword) = 'array' and schema -> k.keyword <> '[]'
  loop
    if cardinality(r.faults) > 0 and not (r.fits and r.keyword <> 'allOf') then
      return array_to_string(
        r.faults, case r.keyword when 'allOf' then ' and ' else ' or ' end
      );
    end if;
  end loop;
  return null;
end
$$;

comment on function pgagent._schema_fault(jsonb, jsonb, jsonb, text, integer) is
'What is wrong with a JSON value by a JSON Schema; null when nothing is.';
