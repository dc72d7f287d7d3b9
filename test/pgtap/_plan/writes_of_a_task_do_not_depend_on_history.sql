begin;
\ir _rows.sql
select plan(2);

select pg_temp.put('t', 'first');
select become('t_worker');
select pg_temp.buffers($$select pg_temp.put_write('t', 'first', 'a', 0, 'x')$$);
reset role;
select pg_temp.many_sessions();
select pg_temp.many_writes();
select become('t_worker');
select pg_temp.buffers($$select pg_temp.put_write('t', 'first', 'b', 0, 'x')$$);

select cmp_ok(
  pg_temp.buffers($$select pg_temp.put_write('t', 'first', 'c', 0, 'x')$$), '<', 40::bigint,
  'buffers'
);
select cmp_ok(
  pg_temp.rows_read($$select pg_temp.put_write('t', 'first', 'd', 0, 'x')$$), '<', 8::bigint,
  'rows'
);

select * from finish();
rollback;
