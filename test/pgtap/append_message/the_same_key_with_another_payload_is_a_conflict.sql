begin;
\ir ../_lib.sql
select plan(6);

select pgagent.create_session('t');
select pgagent.append_message(
  't', 'user', '"x"', turn => '1', idempotency_key => 'k', tool_call_id => 'c', context => '1'
);

select throws_ok(
  format('select pgagent.append_message(''t'', %s, idempotency_key => ''k'')', m.message),
  'PA004', null, m.message
)
from (
  values
  ('''user'', ''"y"'', turn => ''1'', tool_call_id => ''c'', context => ''1'''),
  ('''system'', ''"x"'', turn => ''1'', tool_call_id => ''c'', context => ''1'''),
  ('''user'', ''"x"'', turn => ''2'', tool_call_id => ''c'', context => ''1'''),
  ('''user'', ''"x"'', turn => ''1'', tool_call_id => ''d'', context => ''1'''),
  ('''user'', ''"x"'', turn => ''1'', tool_call_id => ''c'', context => ''2''')
) as m (message);
select is((select content from pgagent.session_messages), '"x"'::jsonb, 'the first one stands');

select * from finish();
rollback;
