begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');

select results_eq(
  $$select pgagent.append_event('t', 'step') from generate_series(1, 3)$$,
  $$values (1::bigint), (2), (3)$$
);

select * from finish();
rollback;
