begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '"later"', delay => '1 hour');

select is((select status from pgagent.enqueue_job('t', '"sooner"', delay => '30 min')), 'PENDING');
select is((select status from pgagent.enqueue_job('t', '"last"', delay => '2 hours')), 'WAITING');
select results_eq(
  'select payload, status from pgagent.agent_jobs order by seq',
  $$
    values
    ('"later"'::jsonb, 'WAITING' collate "C"), ('"sooner"', 'PENDING'), ('"last"', 'WAITING')
  $$
);

select * from finish();
rollback;
