begin;
\ir ../_lib.sql
select plan(7);

select pg_temp.run('t');
select pgagent.pause_job(
  pg_temp.job('t'), 1, jsonb_build_object('q', pg_temp.review('pay', 'mail'), 'r', 'sure?')
);
select is((select count(*) from pgagent.pending_approvals), 3::bigint, 'a row an action');

select results_eq(
  $$
    select open_questions, job_status
    from pgagent.pending_approvals as p
    cross join lateral pgagent.decide_approval(p.approval_id, 'reject', reason => 'no')
    where p.action ->> 'name' = 'mail'
  $$,
  $$values (2::bigint, 'AWAITING_HUMAN')$$
);
select is((select resume from pgagent.agent_jobs), null, 'an interrupt is answered as a whole');
select results_eq(
  $$
    select open_questions, job_status
    from pgagent.pending_approvals as p
    cross join lateral pgagent.decide_approval(p.approval_id, 'approve')
    where p.action is null
  $$,
  $$values (1::bigint, 'AWAITING_HUMAN')$$
);
select is_empty($$select * from pgagent.claim_job('w2')$$);
select results_eq(
  $$
    select open_questions, job_status
    from pgagent.pending_approvals as p
    cross join lateral pgagent.decide_approval(p.approval_id, 'approve')
  $$,
  $$values (0::bigint, 'PENDING')$$
);
select is(
  (select resume from pgagent.claim_job('w2')),
  '{
    "q": {"decisions": [{"type": "approve"}, {"type": "reject", "message": "no"}]}, "r": true
  }'::jsonb
);

select * from finish();
rollback;
