begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '1');

select is((select status from pgagent.enqueue_job('t', '2')), 'WAITING');
select is((select status from pgagent.enqueue_job('t', '3', priority => 9)), 'WAITING');
select results_eq(
  'select seq, payload, status from pgagent.agent_jobs order by seq',
  $$
    values
    (1::bigint, '1'::jsonb, 'PENDING' collate "C"), (2, '2', 'WAITING'), (3, '3', 'WAITING')
  $$
);

select * from finish();
rollback;
