begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '{"b": 1, "a": 2}', turn => '1', tool_call_id => 'c');

select results_eq(
  $$
    select seq, appended from pgagent.append_messages('t', '[
      {"role": "user", "content": {"a": 2, "b": 1}, "turn": "1", "tool_call_id": "c"}
    ]')
  $$,
  $$values (1::bigint, false)$$
);

select * from finish();
rollback;
