-- A node that is not deterministic is told, not paid twice.
begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.begin_tool_call('t', 'pay', 'k', '{"a": 1, "b": 2}', 1);

select throws_ok(
  $$select pgagent.begin_tool_call('t', 'pay', 'k', '{"a": 1, "b": 3}', 1)$$, 'PA004'
);
select throws_ok(
  $$select pgagent.begin_tool_call('t', 'mail', 'k', '{"a": 1, "b": 2}', 1)$$, 'PA004'
);
select is(
  (select action from pgagent.begin_tool_call('t', 'pay', 'k', '{"b": 2, "a": 1}', 1)), 'busy',
  'the order of JSON keys does not matter'
);

select * from finish();
rollback;
