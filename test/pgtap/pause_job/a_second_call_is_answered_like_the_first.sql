begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');

select is(pgagent.pause_job(pg_temp.job('t'), 1, '{"r": 1}'), 'AWAITING_HUMAN');
select is((select waiting_for from pgagent.agent_jobs), '{"q": 1}'::jsonb);

select * from finish();
rollback;
