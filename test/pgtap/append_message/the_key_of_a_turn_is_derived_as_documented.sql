begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'assistant', '{"b": 1, "a": 2}', turn => '7');

select is(
  (select idempotency_key from pgagent.session_messages),
  pgagent.idempotency_key('message', 't', 'assistant', '{"a": 2, "b": 1}', '7') collate "C"
);

select * from finish();
rollback;
