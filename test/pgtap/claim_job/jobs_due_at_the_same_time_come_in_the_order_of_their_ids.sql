-- As after a restore, or by an import: one time for all.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job(n::text, '{}') from generate_series(1, 5) as n;
update pgagent.agent_jobs set available_at = now();

select results_eq(
  'select pg_temp.next() collate "C" from generate_series(1, 5)',
  'select thread_id from pgagent.agent_jobs order by job_id'
);

select * from finish();
rollback;
