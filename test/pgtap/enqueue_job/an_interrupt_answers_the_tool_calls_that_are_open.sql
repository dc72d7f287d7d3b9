begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.append_messages('t', '[
  {"role": "tool_call", "content": "a", "tool_call_id": "1"},
  {"role": "tool_call", "content": "b", "tool_call_id": "2", "turn": "x"},
  {"role": "tool_result", "content": "r", "tool_call_id": "1"}
]', 1);
select pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1);
select pgagent.enqueue_job('t', '2', on_busy => 'interrupt');

select results_eq(
  'select seq, role, tool_call_id, turn from pgagent.session_messages where seq > 3',
  $$values (4::bigint, 'tool_result' collate "C", '2' collate "C", 'x' collate "C")$$
);
select is((select last_message_seq from pgagent.agent_sessions), 4::bigint);
select is(
  (select status from pgagent.tool_calls), 'IN_DOUBT' collate "C",
  'nobody can report any more what became of a call'
);

select * from finish();
rollback;
