begin;
\ir ../_lib.sql
select plan(5);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', to_jsonb(n)) from generate_series(1, 9) as n;

select is(pgagent.record_summary('t', 5, '"five"'), true);
select is(pgagent.record_summary('t', 5, '"five"'), false, 'told again');
select throws_ok($$select pgagent.record_summary('t', 5, '"5"')$$, 'PA004');
select throws_ok($$select pgagent.record_summary('t', 4, '"four"')$$, 'PA005');
select results_eq(
  'select covers_through_seq, recorded_at_seq from pgagent.context_summaries',
  $$values (5::bigint, 9::bigint)$$
);

select * from finish();
rollback;
