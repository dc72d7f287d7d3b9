begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.request_approval('t', 'k1', 'pay', '{"amount": 10}', fencing_token => 1);
select question
from pgagent.request_approval('t', 'k2', 'pay', '{"amount": 9999}', fencing_token => 1) \gset
select pgagent.pause_job(pg_temp.job('t'), 1, jsonb_build_object('any', :'question'::jsonb));

select set_eq(
  'select tool_call_key::text, superseded from pgagent.pending_approvals',
  $$values ('k1', false), ('k2', false)$$
);
select pgagent.decide_approval(approval_id, 'approve') from pgagent.pending_approvals;
select is(pg_temp.status_of('t'), 'PENDING');

select * from finish();
rollback;
