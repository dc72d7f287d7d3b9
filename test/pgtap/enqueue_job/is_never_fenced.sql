begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');

select is((select status from pgagent.enqueue_job('t', '{}')), 'WAITING');
select is((select owner_token from pgagent.agent_sessions), 1::bigint, 'the run goes on');

select * from finish();
rollback;
