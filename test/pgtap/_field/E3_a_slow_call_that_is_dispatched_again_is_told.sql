-- The second dispatch gets the stored result; the first, once it has lost the thread, an error.
begin;
\ir ../_lib.sql
select plan(3);

select pgagent.start_run('t', 'w1', lease => '1 us');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset
select fencing_token from pgagent.claim_job('w2');
select is(
  (select action from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 2)), 'in_doubt'
);
select throws_ok(format('select pgagent.complete_tool_call(%L, ''1'', 1)', :'call_id'), 'PA002');
select pgagent.complete_tool_call(:'call_id', '2', 2);
select results_eq(
  $$select action, outcome from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 2)$$,
  $$values ('replay', '2'::jsonb)$$
);

select * from finish();
rollback;
