begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.pause('t');

select results_eq(
  $$
    select status, decider, open_questions, job_status
    from pgagent.decide_approval(pg_temp.approval('t'), 'approve', decided_by => 'ann')
  $$,
  $$values ('APPROVED', 'ann', 0::bigint, 'PENDING')$$
);
select results_eq(
  $$select resume, fencing_token, attempt from pgagent.claim_job('w2')$$,
  $$values ('{"q": {"decisions": [{"type": "approve"}]}}'::jsonb, 2::bigint, 1)$$
);

select * from finish();
rollback;
