begin;
\ir ../_lib.sql
select plan(12);

select pgagent.create_session('t');

select throws_ok('select pgagent.append_message(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, ''user'', ''"x"''', 'PA008'),
  ('''t'', null, ''"x"''', 'PA008'),
  ('''t'', ''user'', null', 'PA008'),
  ('''t'', ''user'', ''"x"'', turn => ''''', 'PA008'),
  ('''t'', ''user'', ''"x"'', turn => repeat(''x'', 256)', 'PA009'),
  ('''t'', ''user'', ''"x"'', idempotency_key => ''''', 'PA008'),
  ('''t'', ''user'', ''"x"'', idempotency_key => repeat(''x'', 256)', 'PA009'),
  ('''t'', ''user'', ''"x"'', tool_call_id => ''''', 'PA008'),
  ('''t'', ''user'', ''"x"'', token_count => -1', 'PA008'),
  ('''t'', ''user'', to_jsonb(repeat(''x'', 8388608))', 'PA009'),
  ('''t'', ''user'', ''"x"'', context => to_jsonb(repeat(''x'', 8388608))', 'PA009'),
  ('repeat(''x'', 1025), ''user'', ''"x"''', 'PA009')
) as c (arguments, code);

select * from finish();
rollback;
