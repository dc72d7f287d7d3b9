begin;
\ir ../_lib.sql
select plan(5);

select pgagent.create_session('t');
select pgagent.create_session('u');
select pgagent.append_message('u', 'tool_call', '{}', tool_call_id => 'c1');
select pgagent.append_message('t', 'assistant', '"x"', tool_call_id => 'c1');

select throws_ok(
  $$select pgagent.append_message('t', 'tool_result', '"ok"', tool_call_id => 'c1')$$,
  'PA008', 'tool_call_id names no tool_call of the thread'
);
select throws_ok(
  $$select pgagent.append_message('t', 'tool_result', '"ok"')$$,
  'PA008', 'tool_call_id is required for a tool_result'
);
select throws_ok(
  $$select pgagent.append_message('t', 'tool_call', '"ok"')$$,
  'PA008', 'tool_call_id is required for a tool_call'
);
select pgagent.append_message('t', 'tool_call', '{}', tool_call_id => 'c1');
select lives_ok(
  $$select pgagent.append_message('t', 'tool_result', '"ok"', tool_call_id => 'c1')$$,
  'the call of its own thread'
);
select is((select max(seq) from pgagent.session_messages where thread_id = 't'), 3::bigint, 'dense');

select * from finish();
rollback;
