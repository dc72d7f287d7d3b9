begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');
select pgagent.enqueue_job('u', '{}');
select pgagent_test.advance('1 s');
select pgagent.resume_job(pg_temp.job('t'), '{"q": 1}');

select is((select thread_id from pgagent.claim_job('w2')), 'u');

select * from finish();
rollback;
