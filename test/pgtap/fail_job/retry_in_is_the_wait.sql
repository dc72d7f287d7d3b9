begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.fail_job(pg_temp.job('t'), 1, '"x"', retry_in => '1 hour');

select is(
  (
    select j.available_at - a.ended_at
    from pgagent.agent_jobs as j
    join pgagent.job_attempts as a using (job_id)
  ), interval '1 hour'
);

select * from finish();
rollback;
