begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t');

select throws_ok(
  $$
    select pgagent.append_messages('t', '[
      {"role": "tool_result", "content": 1, "tool_call_id": "c"},
      {"role": "tool_call", "content": 1, "tool_call_id": "c"}
    ]')
  $$,
  'PA008', 'messages[0].tool_call_id names no tool_call of the thread'
);
select lives_ok(
  $$
    select pgagent.append_messages('t', '[
      {"role": "tool_call", "content": 1, "tool_call_id": "c"},
      {"role": "tool_result", "content": 1, "tool_call_id": "c"}
    ]')
  $$,
  'of the same batch'
);
select lives_ok(
  $$
    select pgagent.append_messages('t', '[
      {"role": "tool_result", "content": 2, "tool_call_id": "c"}
    ]')
  $$,
  'of an earlier one'
);

select * from finish();
rollback;
