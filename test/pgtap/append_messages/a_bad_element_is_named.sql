begin;
\ir ../_lib.sql
select plan(9);

select pgagent.create_session('t');

select matches(
  pg_temp.refusal(
    format(
      'select pgagent.append_messages(''t'', ''[{"role": "user", "content": 1}, %s]'')', e.element
    )
  ), e.expected, e.element
)
from (
  values
  ('{"role": "robot", "content": 1}', '^PA008 messages\[1\].role'),
  ('{"content": 1}', '^PA008 messages\[1\].role'),
  ('{"role": "user"}', '^PA008 messages\[1\].content'),
  ('{"role": "user", "content": 1, "turn": ""}', '^PA008 messages\[1\].turn'),
  ('{"role": "user", "content": 1, "idempotency_key": ""}', '^PA008 messages\[1\].idempotency_key'),
  ('{"role": "user", "content": 1, "tool_call_id": ""}', '^PA008 messages\[1\].tool_call_id'),
  ('{"role": "user", "content": 1, "token_count": -1}', '^PA008 messages\[1\].token_count'),
  ('{"role": "user", "content": 1, "token_count": 0.5}', '^PA008 messages\[1\].token_count'),
  ('{"role": "user", "content": 1, "token_count": "1"}', '^PA008 messages\[1\].token_count')
) as e (element, expected);

select * from finish();
rollback;
