begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', to_jsonb(n)) from generate_series(1, 3) as n;
select pgagent.enqueue_job('u', to_jsonb(n)) from generate_series(1, 3) as n;

select results_eq(
  $$select thread_id, payload from pgagent.claim_jobs('w1', max_jobs => 10)$$,
  $$values ('t', '1'::jsonb), ('u', '1')$$
);

select * from finish();
rollback;
