begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.complete_job(pg_temp.job('t'), 1);

select results_eq(
  $$select * from pgagent.cancel_job(pg_temp.job('t'))$$, $$values ('ended', 'COMPLETED')$$
);
select is((select cancel_requested_at from pgagent.agent_jobs), null);

select * from finish();
rollback;
