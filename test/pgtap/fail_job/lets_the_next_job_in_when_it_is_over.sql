begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '"next"');
select pgagent.fail_job((select job_id from pgagent.agent_jobs where seq = 1), 1, '"x"', true);

select is(pg_temp.status_of('t'), 'PENDING');

select * from finish();
rollback;
