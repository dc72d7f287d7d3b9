begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');

select results_eq(
  $$select pgagent.record_usage('t', 'call1', 100, 20, 0.0125, 'm') from generate_series(1, 5)$$,
  $$values (true), (false), (false), (false), (false)$$
);
select results_eq(
  'select count(*), sum(input_tokens), sum(output_tokens), sum(cost) from pgagent.usage_records',
  $$values (1::bigint, 100::numeric, 20::numeric, 0.0125)$$
);

select * from finish();
rollback;
