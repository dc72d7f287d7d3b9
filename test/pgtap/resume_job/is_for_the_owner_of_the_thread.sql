begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');
select become('t_tenant');
set local pgagent.user_id = 'bob';
select throws_ok($$select pgagent.resume_job(pg_temp.job('t'), '{"q": 1}')$$, 'PA011');
set local pgagent.user_id = 'alice';
select is((select status from pgagent.resume_job(pg_temp.job('t'), '{"q": 1}')), 'PENDING');

select * from finish();
rollback;
