begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pgagent.request_approval('t', 'k1', 'pay', '{"amount": 10}', fencing_token => 1);
select question
from pgagent.request_approval('t', 'k2', 'pay', '{"amount": 9999}', fencing_token => 1) \gset
select pgagent.pause_job(
  pg_temp.job('t'), 1, jsonb_build_object('q', :'question'::jsonb)
);
select set_eq(
  'select tool_call_key::text, interrupt_id::text from pgagent.pending_approvals',
  $$values ('k1', null), ('k2', 'q')$$
);

select pgagent.decide_approval(approval_id, 'reject')
from pgagent.pending_approvals where tool_call_key = 'k2';
select is(pg_temp.status_of('t'), 'AWAITING_HUMAN', 'the other is open');
select pgagent.decide_approval(approval_id, 'approve')
from pgagent.pending_approvals where tool_call_key = 'k1';
select fencing_token from pgagent.claim_job('w2');
select results_eq(
  $$
    select r.decision
    from (values ('k1', 10), ('k2', 9999)) as c (key, amount)
    cross join lateral pgagent.request_approval(
      't', c.key, 'pay', jsonb_build_object('amount', c.amount), fencing_token => 2
    ) as r
    order by c.key
  $$,
  $$values ('{"type": "approve"}'::jsonb), ('{"type": "reject"}')$$, 'each gets its own'
);

select * from finish();
rollback;
