-- Lists of all threads by metadata take another way than those of one.
begin;
\ir ../_lib.sql
select plan(6);

select pgagent.create_session('a', 'alice'), pgagent.create_session('b', 'bob');
create function pg_temp.put_with(thread text, id text, ns text, metadata jsonb) returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(jsonb_build_object(
    'thread_id', thread, 'checkpoint_ns', ns, 'checkpoint_id', id, 'channels', '[]'::jsonb,
    'checkpoint', '{}'::jsonb, 'metadata', metadata
  ), '', null)
$$;
select
  pg_temp.put_with('a', 'a1', '', '{"x": 1}'), pg_temp.put_with('b', 'b1', '', '{"x": 1, "y": 2}'),
  pg_temp.put_with('a', 'a2', 'sub', '{"x": 1}'), pg_temp.put_with('b', 'b2', '', '{"x": 2}'),
  pg_temp.put_with('a', 'a3', '', '{"x": {"z": 1}}');
create function pg_temp.listed(
  filter jsonb, ns text default null, before text default null, max_rows integer default null,
  id text default null
) returns text[]
language sql volatile
as $$
  select coalesce(array_agg(x.id order by x.n), '{}')
  from pgagent.list_checkpoints(
    checkpoint_ns => ns, before => before, filter => filter, max_rows => max_rows,
    checkpoint_id => listed.id
  ) with ordinality as x (
    kind, thread, ns, id, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, n
  )
  where x.kind = 'checkpoint'
$$;

select is(pg_temp.listed('{"x": 1}'), '{a2,b1,a1}'::text[]);
select is(pg_temp.listed('{"x": 1}', ns => ''), '{b1,a1}'::text[], 'of one namespace');
select is(pg_temp.listed('{"x": 1}', before => 'b1'), '{a1}'::text[], 'older than one');
select is(pg_temp.listed('{"x": 1}', before => 'none'), '{}'::text[], 'older than an unknown one');
select is(pg_temp.listed('{"x": 1}', max_rows => 2), '{a2,b1}'::text[], 'two');
select is(pg_temp.listed('{"x": 1}', id => 'b1'), '{b1}'::text[], 'of an id');

select * from finish();
rollback;
