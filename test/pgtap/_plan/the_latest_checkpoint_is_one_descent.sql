-- Of 50,000 in the thread, for a worker.
begin;
\ir _rows.sql
select plan(2);

select pg_temp.put('t', 'first');
select become('t_worker');
select pg_temp.buffers($$select * from pgagent.get_checkpoint('t')$$);
reset role;
select pg_temp.many_sessions();
select pg_temp.many_checkpoints();
select pg_temp.many_writes();
select become('t_worker');

select cmp_ok(
  pg_temp.buffers($$select * from pgagent.get_checkpoint('t')$$), '<', 40::bigint, 'buffers'
);
select is(
  pg_temp.rows_read($$select * from pgagent.get_checkpoint('t')$$), 3::bigint,
  'the thread, the checkpoint and a write'
);

select * from finish();
rollback;
