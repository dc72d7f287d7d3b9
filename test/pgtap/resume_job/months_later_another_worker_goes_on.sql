begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');
select pgagent_test.advance('100 days');
select pgagent.resume_job(pg_temp.job('t'), '{"q": "yes"}');

select is((select resume from pgagent.claim_job('w9')), '{"q": "yes"}'::jsonb);

select * from finish();
rollback;
