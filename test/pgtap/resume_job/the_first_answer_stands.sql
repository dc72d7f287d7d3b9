begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1, "r": 1}');
select pgagent.resume_job(pg_temp.job('t'), '{"q": "yes"}');

select throws_ok(
  $$select pgagent.resume_job(pg_temp.job('t'), '{"q": "no", "r": 1}')$$, 'PA005'
);
select pgagent.resume_job(pg_temp.job('t'), '{"r": 1}');
select throws_ok(
  $$select pgagent.resume_job(pg_temp.job('t'), '{"q": "no"}')$$, 'PA005', null, 'afterwards too'
);
select is((select resume ->> 'q' from pgagent.agent_jobs), 'yes');

select * from finish();
rollback;
