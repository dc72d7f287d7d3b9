begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.cancel_job(pg_temp.job('t'));

select is(pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}'), 'CANCELLED');
select is((select waiting_for from pgagent.agent_jobs), null);

select * from finish();
rollback;
