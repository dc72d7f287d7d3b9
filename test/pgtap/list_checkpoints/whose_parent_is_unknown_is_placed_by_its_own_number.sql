begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 's1', ns => 'sub', parents => '{"": "gone"}');
select pg_temp.put('t', 'c2');
select pg_temp.put('t', 's2', ns => 'sub', parents => '{}');

select is(pg_temp.list('t', 'sub', 'c2'), '{s1}');

select * from finish();
rollback;
