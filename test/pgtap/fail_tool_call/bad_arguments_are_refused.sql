begin;
\ir ../_lib.sql
select plan(4);

select pgagent.create_session('t');
select pgagent.begin_tool_call('t', 'pay', 'k');

select throws_ok('select pgagent.fail_tool_call(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, ''1''', 'PA008'),
  ('gen_random_uuid(), ''1''', 'PA003'),
  ('(select call_id from pgagent.tool_calls), to_jsonb(repeat(''x'', 1048576))', 'PA009'),
  ('(select call_id from pgagent.tool_calls), ''1'', in_doubt => null', 'PA008')
) as c (arguments, code);

select * from finish();
rollback;
