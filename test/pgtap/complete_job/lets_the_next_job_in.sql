begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '"next"');
select pgagent.complete_job((select job_id from pgagent.agent_jobs where seq = 1), 1);

select is(pg_temp.status_of('t'), 'PENDING');
select results_eq(
  'select status, active_job_id, completed_at from pgagent.sessions',
  $$values ('IDLE' collate "C", pg_temp.job('t'), null::timestamptz)$$
);

select * from finish();
rollback;
