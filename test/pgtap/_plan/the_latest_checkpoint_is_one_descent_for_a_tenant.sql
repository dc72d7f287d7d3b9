-- Whatever the statistics say, and however many threads the tenant owns: with an `exists` in its
-- policy, a read hashed them all.
begin;
\ir _rows.sql
select plan(3);

select pgagent.create_session('t', 'user-7');
select pg_temp.put('t', 'first');
select pg_temp.many_sessions();
select pg_temp.many_checkpoints();
select pg_temp.many_writes();
analyze pgagent.agent_sessions, pgagent.checkpoints, pgagent.checkpoint_writes;
select become('t_tenant');
set local pgagent.user_id = 'user-7';
-- The first calls read the catalog.
select pg_temp.buffers($$select * from pgagent.get_checkpoint('t')$$);
select pg_temp.buffers($$select * from pgagent.list_checkpoints('t', '', max_rows => 10)$$);

select cmp_ok(
  pg_temp.buffers($$select * from pgagent.get_checkpoint('t')$$), '<', 60::bigint, 'buffers'
);
select cmp_ok(
  pg_temp.rows_read($$select * from pgagent.get_checkpoint('t')$$), '<', 10::bigint, 'rows'
);
select cmp_ok(
  pg_temp.buffers($$select * from pgagent.list_checkpoints('t', '', max_rows => 10)$$), '<',
  180::bigint, 'a list of ten'
);

select * from finish();
rollback;
