begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k') \gset
select pgagent.complete_tool_call(:'call_id', null);

select results_eq(
  $$select action, outcome from pgagent.begin_tool_call('t', 'pay', 'k')$$,
  $$values ('replay', 'null'::jsonb)$$
);

select * from finish();
rollback;
