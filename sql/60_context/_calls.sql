-- How the calls of two trajectories find their partners; see compare_trajectories.

-- The calls of a trajectory, in order: {number, at, ours, name, args}. number counts from 0, at is
-- the position of the message from 1.
create function pgagent._calls_of(messages jsonb, ours boolean)
returns jsonb
language sql
immutable
parallel safe
begin atomic
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'number', c.number - 1, 'at', c.at, 'ours', ours, 'name', c.call -> 'name',
          'args', coalesce(c.call -> 'args', '{}')
        )
        order by c.number
      ),
      '[]'
    )
  from (
    select m.at, t.call, row_number() over (order by m.at, t.ordinal) as number
    from jsonb_array_elements(messages) with ordinality as m (message, at)
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(m.message -> 'tool_calls')
        when 'array' then m.message -> 'tool_calls' else '[]'
      end
    ) with ordinality as t (call, ordinal)
  ) as c;
end;

comment on function pgagent._calls_of(jsonb, boolean) is
'The tool calls of a trajectory with their numbers and positions.';

-- Those of them that one message makes.
create function pgagent._calls_at(calls jsonb, at integer)
returns jsonb
language sql
immutable
parallel safe
begin atomic
  select jsonb_path_query_array(calls, '$[*] ? (@.at == $at)', jsonb_build_object('at', at));
end;

comment on function pgagent._calls_at(jsonb, integer) is
'The tool calls that one message of a trajectory makes.';

-- Whether two calls are partners, as args says or tools for their tool. `a` is the one whose
-- arguments are ours in the sense of subset and superset.
create function pgagent._is_partner(a jsonb, b jsonb, args text, tools jsonb)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rule jsonb := coalesce(tools -> (a ->> 'name'), to_jsonb(args));
begin
  if a -> 'name' <> b -> 'name' then
    return false;
  end if;
  case jsonb_typeof(v_rule)
    when 'object' then
      -- Not by @>, to which [0, 0] is part of [0, 1].
      return exists (
        select from jsonb_array_elements(v_rule -> 'pairs') as p (pair)
        where p.pair = case
          when (a -> 'ours')::boolean then jsonb_build_array(a -> 'number', b -> 'number')
          else jsonb_build_array(b -> 'number', a -> 'number')
        end
      );
    when 'array' then
      return not exists (
        select from jsonb_array_elements_text(v_rule) as p (path)
        where nullif(a -> 'args' #> string_to_array(p.path, '.'), 'null')
          is distinct from nullif(b -> 'args' #> string_to_array(p.path, '.'), 'null')
      );
    else
      return case v_rule #>> '{}'
        when 'exact' then a -> 'args' = b -> 'args'
        when 'ignore' then true
        when 'subset' then pgagent._has_members(b -> 'args', a -> 'args')
        else pgagent._has_members(a -> 'args', b -> 'args')
      end;
  end case;
end
$$;

comment on function pgagent._is_partner(jsonb, jsonb, text, jsonb) is
'Whether two tool calls are the same in the eyes of a comparison.';

-- Whether an object has each member of another one, with an equal value.
create function pgagent._has_members(whole jsonb, part jsonb)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select
    not exists (
      select 1
      from jsonb_each(part) as p (key, value)
      where whole -> p.key is distinct from p.value
    );
end;

comment on function pgagent._has_members(jsonb, jsonb) is
'Whether a JSON object has every member of another one, with equal values.';

-- The calls that find no partner among others, without what _calls_of added: each takes the first
-- that fits and that no call before it took.
--
-- searching: whether the arguments of `calls` are the ones that subset and superset call ours; else
--            those of the others, among which they look.
create function pgagent._without_partner(
  calls jsonb, others jsonb, searching boolean, args text, tools jsonb
)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_left jsonb := others;
  v_alone jsonb := jsonb '[]';
  v_call jsonb;
  v_place integer;
begin
  for v_call in select e.call from jsonb_array_elements(calls) as e (call) loop
    select l.ordinal - 1 into v_place
    from jsonb_array_elements(v_left) with ordinality as l (call, ordinal)
    where case
      when searching then pgagent._is_partner(v_call, l.call, args, tools)
      else pgagent._is_partner(l.call, v_call, args, tools)
    end
    order by l.ordinal
    limit 1;
    if found then
      v_left := v_left - v_place;
    else
      v_alone := v_alone || jsonb_build_array(v_call - '{number,ours}'::text[]);
    end if;
  end loop;
  return v_alone;
end
$$;

comment on function pgagent._without_partner(jsonb, jsonb, boolean, text, jsonb) is
'The tool calls that find no partner among others.';

-- Raises PA008 for what is no trajectory.
create function pgagent._check_trajectory(argument text, messages jsonb)
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
    when messages is null or jsonb_typeof(messages) <> 'array' then 'must be a JSON array of messages'
    when jsonb_path_exists(messages, 'strict $[*] ? (@.type() != "object")')
      or jsonb_path_exists(messages, 'lax $[*] ? (!exists(@.role) || @.role.type() != "string")')
      then 'must hold messages with a role'
    when jsonb_path_exists(
      messages,
      'lax $[*].tool_calls ? (@ != null && @.type() != "object" && @.type() != "array")'
    ) or jsonb_path_exists(
      messages,
      'lax $[*].tool_calls[*] ? (
        @ != null && (!exists(@.name) || @.name.type() != "string"
        || exists(@.args) && @.args.type() != "object")
      )'
    ) then 'must hold tool_calls with a name, and args that are an object'
  end;
  if v_problem is not null then
    perform pgagent._raise('PA008', format('%s %s', argument, v_problem));
  end if;
end
$$;

comment on function pgagent._check_trajectory(text, jsonb) is
'Raises PA008 for what is no array of messages.';

-- Raises PA008 for a comparison that cannot be made as asked.
create function pgagent._check_comparison(mode text, args text, tools jsonb)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_args text[] := array['exact', 'ignore', 'subset', 'superset'];
  v_tool text;
begin
  if (mode = any('{strict,unordered,subset,superset}'::text[])) is not true then
    perform pgagent._raise(
      'PA008', 'mode must be strict, unordered, subset or superset',
      format('mode: %s', coalesce(left(mode, 100), 'null'))
    );
  end if;
  if (args = any(v_args)) is not true then
    perform pgagent._raise(
      'PA008', 'arguments must be exact, ignore, subset or superset',
      format('arguments: %s', coalesce(left(args, 100), 'null'))
    );
  end if;
  if (jsonb_typeof(tools) = 'object') is not true then
    perform pgagent._raise('PA008', 'tools must be a JSON object, tool to rule');
  end if;
  select t.key into v_tool
  from jsonb_each(tools) as t (key, value)
  where not case jsonb_typeof(t.value)
    when 'string' then t.value #>> '{}' = any(v_args)
    when 'array' then not jsonb_path_exists(t.value, 'strict $[*] ? (@.type() != "string")')
    when 'object' then jsonb_typeof(t.value -> 'pairs') is not distinct from 'array'
    else false
  end
  limit 1;
  if found then
    perform pgagent._raise(
      'PA008', 'a rule of tools must be a word as arguments, an array of names, or {"pairs": [...]}',
      format('tool: %s', left(v_tool, 100))
    );
  end if;
end
$$;

comment on function pgagent._check_comparison(text, text, jsonb) is
'Raises PA008 for a mode, rule of arguments or rule of a tool that there is not.';
