begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.enqueue_job('t', to_jsonb(n)) from generate_series(1, 4) as n;
update pgagent.agent_jobs set available_at = now() where status = 'WAITING';

select results_eq(
  $$select pg_temp.finish_and_claim('t') from generate_series(1, 4)$$,
  $$values ('1'::jsonb), ('2'), ('3'), ('4')$$
);

select * from finish();
rollback;
