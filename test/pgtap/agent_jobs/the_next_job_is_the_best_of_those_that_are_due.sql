begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '"third"', priority => 1);
select pgagent.enqueue_job('t', '"not due"', priority => 9, delay => '1 hour');
select pgagent.enqueue_job('t', '"first"', priority => 5, delay => '1 s');
select pgagent.enqueue_job('t', '"second"', priority => 5, delay => '2 s');
select pgagent_test.advance('3 s');

select results_eq(
  $$select pg_temp.finish_and_claim('t') from generate_series(1, 3)$$,
  $$values ('"first"'::jsonb), ('"second"'), ('"third"')$$
);
select is(pg_temp.finish_and_claim('t'), null, 'the last is not due yet');
select pgagent_test.advance('1 hour');
select is((select payload from pgagent.claim_job('w1')), '"not due"'::jsonb);

select * from finish();
rollback;
