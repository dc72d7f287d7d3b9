begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.pause('t');
select pgagent_test.advance('90 days');
select pgagent.decide_approval(
  pg_temp.approval('t'), 'edit', '{"name": "pay", "args": {"amount": 5}}', reason => 'half',
  decided_by => 'ann'
);

select results_eq(
  $$
    select status, decided_by, reason, action, edited_action, decided_at - asked_at > '90 days'
    from pgagent.get_approval(pg_temp.approval('t'))
  $$,
  $$
    values (
      'EDITED', 'ann', 'half', '{"name": "pay", "args": {"amount": 10}}'::jsonb,
      '{"name": "pay", "args": {"amount": 5}}'::jsonb, true
    )
  $$
);
select results_eq(
  $$select data - 'approval_id' from pgagent.session_events where kind = 'approval_decided'$$,
  $$
    values ('{
      "status": "EDITED", "by": "ann", "reason": "half", "interrupt_id": "q",
      "checkpoint_id": "c1", "action": {"name": "pay", "args": {"amount": 10}},
      "edited_action": {"name": "pay", "args": {"amount": 5}}
    }'::jsonb)
  $$
);

select * from finish();
rollback;
