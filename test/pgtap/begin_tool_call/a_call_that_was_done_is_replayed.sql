begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', '{"amount": 10}', 1) \gset
select pgagent.complete_tool_call(:'call_id', '{"receipt": 7}', 1);

select results_eq(
  $$select * from pgagent.begin_tool_call('t', 'pay', 'k', '{"amount": 10}', 1)$$,
  format($$values ('replay', %L::uuid, 1, '{"receipt": 7}'::jsonb)$$, :'call_id')
);

select * from finish();
rollback;
