begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '"second"');

select is(
  (select status from pgagent.enqueue_job('t', '"third"', on_busy => 'interrupt')), 'PENDING'
);
select results_eq(
  'select status, cancelled_by, cancel_reason from pgagent.agent_jobs order by seq',
  format(
    $$
      values ('CANCELLED' collate "C", %L collate "C", %L), ('WAITING', null, null),
      ('PENDING', null, null)
    $$, session_user, 'interrupted by job ' || pg_temp.job('t')
  )
);
select is((select payload from pgagent.claim_job('w1')), '"third"');
select is(pg_temp.finish_and_claim('t'), '"second"'::jsonb, 'and the other is next');

select * from finish();
rollback;
