begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1, "r": 2}');
select pgagent.resume_job(pg_temp.job('t'), '{"q": "secret"}');

select unalike(
  pg_temp.refusal(format('select pgagent.resume_job(%L, ''{"q": 1}'')', pg_temp.job('t'))),
  '%secret%', 'answered otherwise'
);
select pgagent.resume_job(pg_temp.job('t'), '{"r": 1}');
select unalike(
  pg_temp.refusal(format('select pgagent.resume_job(%L, ''{"q": 1}'')', pg_temp.job('t'))),
  '%secret%', 'not paused'
);

select * from finish();
rollback;
