begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put_write('t', 'c1', 'a', 0, 'first');

select is(pg_temp.put_write('t', 'c1', 'a', 0, 'second'), 0::bigint);
select is((select blob from pgagent.checkpoint_writes), 'first'::bytea);

select * from finish();
rollback;
