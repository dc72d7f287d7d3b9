-- Of each namespace the newest that ran under an older checkpoint of the graph; of calls, whose
-- namespaces have a task id, only those of a step that is still under way.
begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 'a1', ns => 'sub', parents => '{"": "c1"}');
select pg_temp.put('t', 'x1', ns => 'call:1', parents => '{"": "c1"}');
select pg_temp.put('t', 'c2', step => 1, parent => 'c1');
select pg_temp.put('t', 'a2', ns => 'sub', parent => 'a1', parents => '{"": "c2"}');
select pg_temp.put('t', 'x2', ns => 'call:2', parents => '{"": "c2"}');
select pg_temp.put('t', 'c3', step => 2, parent => 'c2');
select pg_temp.put('t', 'a3', ns => 'sub', parent => 'a2', parents => '{"": "c3"}');
select pg_temp.put('t', 'x3', ns => 'call:3', parents => '{"": "c3"}');
select pg_temp.put('t', 'y3', ns => 'call:3|inner:4', parents => '{"": "c3", "call:3": "x3"}');
select pgagent.fork_session('t', 'c1', 'u1');
select pgagent.fork_session('t', 'c2', 'u2');
select pgagent.fork_session('t', 'c3', 'u3');
create function pg_temp.stored(thread text) returns text
language sql volatile
as $$
  select string_agg(c.checkpoint_ns || '/' || c.checkpoint_id, ' ' order by c.seq)
  from pgagent.checkpoints as c
  where c.thread_id = thread and c.metadata ->> 'source' <> 'fork'
$$;

select is(pg_temp.stored('u1'), '/c1');
select is(pg_temp.stored('u2'), 'sub/a1 /c2');
select is(pg_temp.stored('u3'), '/c3 sub/a3 call:3/x3 call:3|inner:4/y3');

select * from finish();
rollback;
