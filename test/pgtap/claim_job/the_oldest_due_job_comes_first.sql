begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('a', '{}', delay => '2 s');
select pgagent.enqueue_job('b', '{}');
select pgagent.enqueue_job('c', '{}', delay => '1 s');
select pgagent_test.advance('3 s');

select results_eq(
  $$select pg_temp.next() from generate_series(1, 3)$$, $$values ('b'), ('c'), ('a')$$
);

select * from finish();
rollback;
