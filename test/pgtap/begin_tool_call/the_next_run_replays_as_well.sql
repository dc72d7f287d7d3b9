begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', lease => '1 us');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset
select pgagent.complete_tool_call(:'call_id', '7', 1);
select fencing_token from pgagent.claim_job('w2');

select results_eq(
  $$select action, outcome from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 2)$$,
  $$values ('replay', '7'::jsonb)$$
);

select * from finish();
rollback;
