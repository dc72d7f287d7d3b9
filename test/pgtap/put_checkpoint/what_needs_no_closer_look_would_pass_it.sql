-- Usual headers and parts are told by one expression, and then not looked at again: whatever it lets
-- through must pass the checks that name faults. Tried with every member made odd, or left out.
begin;
\ir ../_lib.sql
select plan(6);

create function pg_temp.passes(statement text, value jsonb) returns boolean
language plpgsql volatile
as $$
begin
  execute statement using value;
  return true;
exception
  when sqlstate 'PA008' or sqlstate 'PA009' then
    return false;
end
$$;

-- A document with each of its members replaced by odd values, and without it.
create function pg_temp.variants(document jsonb) returns setof jsonb
language sql volatile
as $$
  with recursive members (path, value) as (
    select '{}'::text[], document
    union all
    select m.path || e.key, e.value
    from members as m
    cross join lateral (
      select o.key, o.value from jsonb_each(m.value) as o where jsonb_typeof(m.value) = 'object'
      union all
      select (a.place - 1)::text, a.value
      from jsonb_array_elements(
        case when jsonb_typeof(m.value) = 'array' then m.value else '[]' end
      ) with ordinality as a (value, place)
    ) as e
  )
  select case
    when m.path = '{}' then o.odd
    when o.odd is null then document #- m.path
    else jsonb_set(document, m.path, o.odd)
  end
  from members as m
  cross join (
    select jsonb_array_elements(
      '[null, true, -1, 0, 1, 2, 0.5, 1.0, 1e300, 2147483648, 100000000000000000000, "", "x", "0",
        "ab", "AB", "abc", "list", "a\nb", [], {}, [1], [0], ["a"], [[0, 1]], [[0, 1], 1],
        [[0, 1], 2], [[1, 0], 1], [[0.5, 1], 1], [[0, 2147483647], 1], [1, [0, 1]],
        {"digest": "x"}, {"saved": -1}]'
    ) as odd
    union all
    select to_jsonb(repeat(c, n))
    from unnest('{x,é,😀}'::text[]) as c, unnest('{63,64,300,1100}'::integer[]) as n
    union all
    select null
  ) as o
$$;

create temporary table headers as
select v.header, v.member
from (
  select pg_temp.variants(
    '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c", "parent_checkpoint_id": null,
      "seen_token": 1, "checkpoint": {"channel_versions": {"c": "1"}}, "metadata": {"step": 1},
      "inline": {"type": "msgpack", "offset": 0, "length": 2, "channels": ["a"]},
      "channels": [
        {"channel": "c", "version": "1", "type": "msgpack", "offset": 0, "length": 3,
          "digest": "ab", "digest_format": "f", "saved": 0},
        {"channel": "d", "version": "1", "type": "list", "offset": 3, "length": 1, "base": "0",
          "parts": [[0, 1], 1], "types": "msgpack", "lengths": [1], "size": 2}
      ]}'
  ) as header, 'channels' as member
  union all
  select pg_temp.variants(
    '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c", "task_id": "t",
      "task_path": "", "seen_token": null,
      "writes": [{"idx": -1, "channel": "c", "type": "msgpack", "offset": 0, "length": 3}]}'
  ), 'writes'
) as v;
create temporary table headers_told as
select
  h.header, h.member, pgagent._is_usual_header(h.header, 'body', h.member) as is_usual,
  pg_temp.passes(
    format('select pgagent._check_saver_header($1, ''body'', %L)', h.member), h.header
  ) as passes
from headers as h;

select is_empty('select header from headers_told where is_usual and not passes');
select cmp_ok(
  (select count(*) from headers_told where is_usual is not true and not passes), '>', 400::bigint,
  'many are refused'
);
select cmp_ok(
  (select count(*) from headers_told where is_usual), '>', 200::bigint, 'many are usual'
);

create temporary table values_told as
select
  v.value, pgagent._is_append(v.value) as is_append,
  pg_temp.passes('select pgagent._check_items($1)', v.value) as passes
from (
  select pg_temp.variants(
    '{"type": "list", "length": 1, "base": "0", "parts": [[0, 1], 1], "types": "msgpack",
      "lengths": [1], "size": 2}'
  ) as value
) as v
-- What the header's own check has seen to.
where jsonb_typeof(v.value) = 'object' and jsonb_typeof(v.value -> 'length') = 'number'
  and v.value ->> 'length' ~ '^[0-9]{1,9}$';

select is_empty('select value from values_told where is_append and not passes');
select cmp_ok(
  (select count(*) from values_told where is_append is not true and not passes), '>', 100::bigint,
  'many are refused'
);
select cmp_ok(
  (select count(*) from values_told where is_append), '>', 10::bigint, 'many are appends'
);

select * from finish();
rollback;
