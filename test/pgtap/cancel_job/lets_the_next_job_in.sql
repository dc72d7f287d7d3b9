begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '1');
select pgagent.enqueue_job('t', '2');
select pgagent.cancel_job((select job_id from pgagent.agent_jobs where seq = 1));

select is(pg_temp.status_of('t'), 'PENDING');
select is((select active_job_id from pgagent.sessions), pg_temp.job('t'));

select * from finish();
rollback;
