begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('a', '{}', priority => 0);
select pgagent.enqueue_job('b', '{}', priority => 9);
select pgagent.enqueue_job('c', '{}', priority => 5);

select results_eq(
  $$select pg_temp.next() from generate_series(1, 3)$$, $$values ('b'), ('c'), ('a')$$
);

select * from finish();
rollback;
