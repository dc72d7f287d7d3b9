begin;
\ir ../_lib.sql
select plan(5);

select pg_temp.run('t');

select results_eq(
  $$select status, active_job_id from pgagent.agent_sessions where thread_id = 't'$$,
  $$values ('RUNNING' collate "C", pg_temp.job('t'))$$
);
select throws_ok($$select pgagent.start_run('t', 'w2')$$, 'PA001', null, 'reject');
select is((select status from pgagent.enqueue_job('t', '{}')), 'WAITING', 'enqueue');

select is(
  (select status from pgagent.enqueue_job('t', '{}', on_busy => 'interrupt')), 'PENDING',
  'interrupt'
);
select is(
  (select status from pgagent.enqueue_job('t', '{}', on_busy => 'rollback')), 'PENDING', 'rollback'
);

select * from finish();
rollback;
