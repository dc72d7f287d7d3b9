begin;
\ir ../_lib.sql
select plan(5);

select throws_ok('select pgagent.enqueue_jobs(null)', 'PA008');
select throws_ok($$select pgagent.enqueue_jobs('{}')$$, 'PA008');
select throws_ok($$select pgagent.enqueue_jobs('[]')$$, 'PA008');
select throws_ok($$select pgagent.enqueue_jobs('[1]', null)$$, 'PA008');
select throws_ok(
  'select pgagent.enqueue_jobs((select jsonb_agg(1) from generate_series(1, 10001)))', 'PA009'
);

select * from finish();
rollback;
