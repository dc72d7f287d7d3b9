begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put_write('t', 'c1', 'a', 0, '1');
select pg_temp.put_write('t', 'c1', 'b', 0, '2');
select pg_temp.put_write('t', 'c2', 'a', 0, '3');
select pg_temp.put_write('t', 'c1', 'a', 0, '4', ns => 'sub');
select pg_temp.put_write('t', 'c1', 'a', 1, '5');

select is((select count(*) from pgagent.checkpoint_writes), 5::bigint);

select * from finish();
rollback;
