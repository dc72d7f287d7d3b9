begin;
\ir ../_lib.sql
select plan(4);

select pgagent.start_run('t', 'w1', timeout => '1 min');
select pgagent.enqueue_job('t', '"next"');
select pg_temp.run('u');
select job_id as old from pgagent.agent_jobs where thread_id = 't' and seq = 1 \gset

select is(pgagent.fail_job(:'old', 1, '"x"', retry_in => '2 min'), 'TIMED_OUT');
select is(pgagent.fail_job(:'old', 1, '"x"', retry_in => '2 min'), 'TIMED_OUT', 'asked again');
select results_eq(
  'select outcome, job_status from pgagent.job_attempts',
  $$values ('failed' collate "C", 'TIMED_OUT' collate "C")$$
);
select is(pg_temp.status_of('t'), 'PENDING', 'and the next job is let in');

select * from finish();
rollback;
