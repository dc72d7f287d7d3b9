begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
create temporary table asked as
select * from pgagent.request_approval(
  't', 'k', 'pay', '{"amount": 10}', description => 'rent', fencing_token => 1,
  step_id => 'c1', timeout => '1 day'
);
select results_eq(
  'select status, decision, question from asked',
  $$
    values (
      'PENDING', null::jsonb,
      '{
        "action_requests": [{"name": "pay", "args": {"amount": 10}, "description": "rent"}],
        "review_configs": [{
          "action_name": "pay", "allowed_decisions": ["approve", "edit", "reject", "respond"]
        }],
        "tool_call_key": "k"
      }'::jsonb
    )
  $$
);
select pgagent.pause_job(pg_temp.job('t'), 1, jsonb_build_object('q', question)) from asked;

select results_eq(
  $$
    select approval_id, interrupt_id, tool_call_key, checkpoint_id,
      expires_at - asked_at = interval '1 day'
    from pgagent.pending_approvals
  $$,
  $$select approval_id, 'q' collate "C", 'k' collate "C", 'c1' collate "C", true from asked$$
);

select * from finish();
rollback;
