begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '"next"', priority => 9);
select pgagent.fail_job((select job_id from pgagent.agent_jobs where seq = 1), 1, '"x"');

select is(pg_temp.status_of('t'), 'WAITING');
select pgagent_test.advance('2 s');
select is((select payload from pgagent.claim_job('w1')), '{}'::jsonb);

select * from finish();
rollback;
