begin;
\ir ../_lib.sql
select plan(5);

select pgagent.enqueue_job('t', '"later"', delay => '1 hour');

select is((select status from pgagent.enqueue_job('t', '"now"')), 'PENDING');
select results_eq(
  'select payload, status from pgagent.agent_jobs order by seq',
  $$values ('"later"'::jsonb, 'WAITING' collate "C"), ('"now"', 'PENDING')$$
);
select results_eq($$select payload from pgagent.claim_job('w1')$$, array['"now"'::jsonb]);
select pgagent.complete_job(pg_temp.job('t'), 1);
select is(
  (select status from pgagent.agent_jobs where seq = 1), 'PENDING' collate "C",
  'and has its place again afterwards'
);
select is_empty($$select * from pgagent.claim_job('w1')$$, 'but is not due yet');

select * from finish();
rollback;
