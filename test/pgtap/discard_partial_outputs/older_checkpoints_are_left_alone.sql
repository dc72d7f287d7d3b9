begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pg_temp.put_write('t', 'c1', 'a', 0, 'v', 1);
select pg_temp.put_write('t', 'c1', 'a', -1, 'e', 1, channel => '__error__');
select pg_temp.put('t', 'c2', 1);

select is(pgagent.discard_partial_outputs('t', 1), 0::bigint);
select is((select count(*) from pgagent.checkpoint_writes), 2::bigint);

select * from finish();
rollback;
