begin;
\ir ../_lib.sql
select plan(3);

create function pg_temp.calls(variadic names text[])
returns jsonb
language sql
as $$
  select jsonb_build_array(
    '{"role": "user"}'::jsonb,
    jsonb_build_object('role', 'assistant', 'tool_calls', jsonb_agg(jsonb_build_object('name', n)))
  )
  from unnest(names) as n
$$;

select results_eq(
  $$select c.* from pgagent.compare_trajectories(pg_temp.calls('a', 'b'), pg_temp.calls('b', 'a')) as c$$,
  $$values (true, null::integer, '[]'::jsonb, '[]'::jsonb)$$,
  'in one message the order does not count'
);
select results_eq(
  $$
    select c.*
    from pgagent.compare_trajectories(pg_temp.calls('a', 'c', 'a'), pg_temp.calls('a', 'b')) as c
  $$,
  $$
    values (
      false, 2, '[{"at": 2, "name": "b", "args": {}}]'::jsonb,
      '[{"at": 2, "name": "c", "args": {}}, {"at": 2, "name": "a", "args": {}}]'::jsonb
    )
  $$,
  'each call has one partner'
);
select results_eq(
  $$
    select c.matches, c.parts_at
    from pgagent.compare_trajectories(
      pg_temp.calls('a'), pg_temp.calls('a') || '[{"role": "assistant"}]'
    ) as c
  $$,
  $$values (false, 3)$$,
  'a message more'
);

select * from finish();
rollback;
