begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job(n::text, '{}', priority => n % 3) from generate_series(1, 9) as n;

select results_eq(
  $$select thread_id from pgagent.claim_jobs('w1', max_jobs => 5)$$,
  $$values ('2'), ('5'), ('8'), ('1'), ('4')$$
);
select is(
  (select count(*) from pgagent.agent_jobs where status = 'IN_PROGRESS'), 5::bigint
);
select results_eq(
  $$select thread_id from pgagent.claim_jobs('w1', max_jobs => 10)$$,
  $$values ('7'), ('3'), ('6'), ('9')$$
);

select * from finish();
rollback;
