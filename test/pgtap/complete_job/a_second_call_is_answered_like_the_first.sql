begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.complete_job(pg_temp.job('t'), 1, '"first"');

select is(pgagent.complete_job(pg_temp.job('t'), 1, '"second"'), 'COMPLETED');
select is((select result from pgagent.agent_jobs), '"first"'::jsonb);
select is((select count(*) from pgagent.session_events), 3::bigint, 'and writes nothing');

select * from finish();
rollback;
