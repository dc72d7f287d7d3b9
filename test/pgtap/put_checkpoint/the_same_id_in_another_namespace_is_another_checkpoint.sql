begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', 'c1');

select is(pg_temp.put('t', 'c1', ns => 'sub'), 2::bigint);
select is((select count(*) from pgagent.checkpoints), 2::bigint);

select * from finish();
rollback;
