begin;
\ir ../_lib.sql
select plan(7);

select pgagent.create_session('t');

select lives_ok(
  format('select pgagent.append_message(''t'', %L, ''"x"'', tool_call_id => ''c'')', r.role), r.role
)
from unnest('{system,user,assistant,tool_call,tool_result}'::text[]) as r (role);
select throws_ok($$select pgagent.append_message('t', 'robot', '"x"')$$, 'PA008');
select throws_ok(
  $$
    insert into pgagent.session_messages (thread_id, seq, role, content)
    values ('t', 9, 'robot', '1')
  $$, '23514', null, 'the table neither'
);

select * from finish();
rollback;
