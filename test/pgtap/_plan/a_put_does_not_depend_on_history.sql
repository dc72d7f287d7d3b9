begin;
\ir _rows.sql
select plan(3);

select pg_temp.put('t', 'first');
select become('t_worker');
select pg_temp.buffers($$select pg_temp.put('t', 'second')$$);
reset role;
select pg_temp.many_sessions();
select pg_temp.many_checkpoints();
select become('t_worker');
select pg_temp.buffers($$select pg_temp.put('t', 'third')$$);

select cmp_ok(
  pg_temp.buffers($$select pg_temp.put('t', 'fourth')$$), '<', 50::bigint, 'buffers'
);
select cmp_ok(pg_temp.rows_read($$select pg_temp.put('t', 'fifth')$$), '<', 8::bigint, 'rows');
select cmp_ok(
  pg_temp.buffers($$select pg_temp.put('t', 'fifth')$$), '<', 80::bigint, 'stored again'
);

select * from finish();
rollback;
