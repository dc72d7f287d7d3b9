begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '"next"', priority => 9);
select pgagent.release_job((select job_id from pgagent.agent_jobs where seq = 1), 1);

select is(pg_temp.status_of('t'), 'WAITING');

select * from finish();
rollback;
