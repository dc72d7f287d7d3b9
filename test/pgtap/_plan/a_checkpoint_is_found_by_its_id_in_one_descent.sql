-- Of 50,000 in the thread: by a plan of the first day, when both unique indexes look alike.
begin;
\ir _rows.sql
select plan(4);

select pgagent.create_session('t', 'user-7');
select pg_temp.put('t', 'first');
select become('t_worker');
select count(*) from pgagent.get_checkpoint('t', '', 'first');
select count(*) from pgagent.delta_channel_history('t', '', 'first', '{a}');
reset role;
select pg_temp.many_sessions();
select pg_temp.many_checkpoints();
update pgagent.checkpoints set parent_checkpoint_id = 'c39999' where checkpoint_id = 'c40000';
create function pg_temp.reads() returns setof text
language sql immutable
as $$
  values
  ('select * from pgagent.get_checkpoint(''t'', '''', ''c40000'')'),
  ('select * from pgagent.delta_channel_history(''t'', '''', ''c40000'', ''{a}'')')
$$;

select become('t_worker');
-- The first calls read the catalog.
select pg_temp.buffers(r) from pg_temp.reads() as r;
select cmp_ok(pg_temp.buffers(r), '<', 40::bigint, r) from pg_temp.reads() as r;
reset role;
select become('t_tenant');
set local pgagent.user_id = 'user-7';
select pg_temp.buffers(r) from pg_temp.reads() as r;
select cmp_ok(pg_temp.buffers(r), '<', 60::bigint, 'for a tenant: ' || r)
from pg_temp.reads() as r;

select * from finish();
rollback;
