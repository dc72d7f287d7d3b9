begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', '3');
select pg_temp.put('t', '1');
select pg_temp.put('t', '2');

select is(pg_temp.list('t', '', '1'), '{3}');
select is(pg_temp.list('t', '', '2'), '{1,3}');

select * from finish();
rollback;
