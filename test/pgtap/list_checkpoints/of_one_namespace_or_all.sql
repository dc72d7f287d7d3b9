begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 's1', ns => 'sub');
select pg_temp.put('t', 'c2');

select is(pg_temp.list('t'), '{c2,s1,c1}');
select is(pg_temp.list('t', ''), '{c2,c1}');
select is(pg_temp.list('t', 'sub'), '{s1}');

select * from finish();
rollback;
