begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.cancel_job(pg_temp.job('t'), 'first', 'alice');
select md5(j::text) as before from pgagent.agent_jobs as j \gset

select results_eq(
  $$select * from pgagent.cancel_job(pg_temp.job('t'), 'second', 'bob')$$,
  $$values ('requested', 'IN_PROGRESS')$$
);
select is((select md5(j::text) from pgagent.agent_jobs as j), :'before');
select is((select last_event_seq from pgagent.sessions), 3::bigint, 'nor does it write an event');

select * from finish();
rollback;
