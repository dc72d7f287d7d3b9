begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');

select throws_ok($$select pgagent.resume_job(pg_temp.job('t'), '{"q": 1, "r": 1}')$$, 'PA008');
select is((select resume from pgagent.agent_jobs), null, 'not in part either');

select * from finish();
rollback;
