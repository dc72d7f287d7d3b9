begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');

select is(pg_temp.put('t', 'c1', 1, seen => 0), 1::bigint);

select * from finish();
rollback;
