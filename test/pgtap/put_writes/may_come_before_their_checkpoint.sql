begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put_write('t', 'c1', 'task1', 0, 'v');
select pg_temp.put('t', 'c1');

select is(
  (select count(*) from pgagent.get_checkpoint('t') where kind = 'write'), 1::bigint
);

select * from finish();
rollback;
