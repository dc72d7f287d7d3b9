begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.fail_job(pg_temp.job('t'), 1, '"first"');

select is(pgagent.fail_job(pg_temp.job('t'), 1, '"second"', fatal => true), 'PENDING');
select is((select error from pgagent.agent_jobs), '"first"'::jsonb);
select is((select count(*) from pgagent.job_attempts), 1::bigint);

select * from finish();
rollback;
