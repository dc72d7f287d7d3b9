begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put('t', 'c1');
select pg_temp.put('u', 'c1');
select pg_temp.put('t', 'c2');

select results_eq(
  $$select thread, id from pgagent.list_checkpoints()$$,
  $$values ('t', 'c2'), ('u', 'c1'), ('t', 'c1')$$
);

select * from finish();
rollback;
