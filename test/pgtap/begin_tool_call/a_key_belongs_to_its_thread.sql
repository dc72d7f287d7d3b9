begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.create_session('u');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k') \gset
select pgagent.complete_tool_call(:'call_id', '"secret"');

select results_eq(
  $$select action, outcome from pgagent.begin_tool_call('u', 'pay', 'k')$$,
  $$values ('execute', null::jsonb)$$
);

select * from finish();
rollback;
