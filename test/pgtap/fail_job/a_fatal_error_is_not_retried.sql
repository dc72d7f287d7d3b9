begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');

select is(pgagent.fail_job(pg_temp.job('t'), 1, '"x"', fatal => true), 'FAILED');
select results_eq(
  'select status, completed_at is not null from pgagent.sessions',
  $$values ('FAILED' collate "C", true)$$
);
select results_eq(
  'select kind, data from pgagent.session_events order by seq desc limit 1',
  $$values ('job_failed' collate "C", '{"error": "x", "status": "FAILED"}'::jsonb)$$
);

select * from finish();
rollback;
