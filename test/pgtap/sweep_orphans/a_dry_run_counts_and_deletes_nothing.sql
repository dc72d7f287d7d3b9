begin;
\ir ../_lib.sql
\ir _orphans.sql
select plan(2);

select pg_temp.with_orphans('t');
select pgagent_test.advance('2 days');

create temporary table would as select * from pgagent.sweep_orphans(dry_run => true);
select is(pg_temp.left_of('t'), array[4, 7, 2]::bigint[]);
select results_eq('table would', 'select * from pgagent.sweep_orphans()', 'the sweep itself');

select * from finish();
rollback;
