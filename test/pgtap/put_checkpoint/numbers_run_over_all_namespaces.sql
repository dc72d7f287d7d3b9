begin;
\ir ../_lib.sql
select plan(4);

select is(pg_temp.put('t', 'c1'), 1::bigint);
select is(pg_temp.put('t', 'c2', ns => 'sub'), 2::bigint);
select is(pg_temp.put('t', 'c3'), 3::bigint);
select is(pg_temp.put('u', 'c1'), 1::bigint, 'of one thread');

select * from finish();
rollback;
