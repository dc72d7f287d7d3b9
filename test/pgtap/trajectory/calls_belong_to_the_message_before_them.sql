begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_messages('t', '[
  {"role": "user", "content": "Where?"},
  {"role": "assistant", "content": "Let me look."},
  {"role": "tool_call", "content": {"name": "find", "args": {"n": 1}}, "tool_call_id": "a"},
  {"role": "tool_call", "content": {"name": "find", "args": {"n": 2}}, "tool_call_id": "b"},
  {"role": "tool_result", "content": "here", "tool_call_id": "b"},
  {"role": "tool_result", "content": "there", "tool_call_id": "a"},
  {"role": "tool_call", "content": {"name": "book"}, "tool_call_id": "c"},
  {"role": "tool_result", "content": null, "tool_call_id": "c"},
  {"role": "assistant", "content": "Done."}
]');

select results_eq(
  $$select t.* from pgagent.trajectory('t') as t$$,
  $$
    values
    (1::bigint, 'user'::text, '"Where?"'::jsonb, null::jsonb, null::text),
    (
      2, 'assistant', '"Let me look."',
      '[
        {"id": "a", "name": "find", "args": {"n": 1}},
        {"id": "b", "name": "find", "args": {"n": 2}}
      ]',
      null
    ),
    (3, 'tool', '"here"', null, 'b'),
    (4, 'tool', '"there"', null, 'a'),
    (5, 'assistant', 'null', '[{"id": "c", "name": "book", "args": null}]', null),
    (6, 'tool', 'null', null, 'c'),
    (7, 'assistant', '"Done."', null, null)
  $$
);

select * from finish();
rollback;
