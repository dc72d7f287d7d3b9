begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', timeout => '1 hour');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');
select pgagent_test.advance('1 day');
select pgagent.resume_job(pg_temp.job('t'), '{"q": 1}');

select is((select deadline_left from pgagent.claim_job('w2')), interval '1 hour');

select * from finish();
rollback;
