-- With async durability the checkpoints of a subgraph may be stored before the one it ran under:
-- by number alone, s2 would be older than c2.
begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 's1', ns => 'sub', parents => '{"": "c1"}');
select pg_temp.put('t', 's2', ns => 'sub', parents => '{"": "c2"}');
select pg_temp.put('t', 'c2');
select pg_temp.put('t', 'c3');

select is(pg_temp.list('t', 'sub', 'c2'), '{s1}');
select is(pg_temp.list('t', 'sub', 'c3'), '{s2,s1}');
select is(pg_temp.list('t', 'sub', 'c1'), null);

select * from finish();
rollback;
