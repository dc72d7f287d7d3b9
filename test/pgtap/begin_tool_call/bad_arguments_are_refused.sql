begin;
\ir ../_lib.sql
select plan(9);

select pgagent.create_session('t');

select throws_ok('select pgagent.begin_tool_call(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, ''pay'', ''k''', 'PA008'),
  ('''t'', null, ''k''', 'PA008'),
  ('''t'', repeat(''x'', 256), ''k''', 'PA009'),
  ('''t'', ''pay'', null', 'PA008'),
  ('''t'', ''pay'', repeat(''x'', 256)', 'PA009'),
  ('''t'', ''pay'', ''k'', null', 'PA008'),
  ('''t'', ''pay'', ''k'', to_jsonb(repeat(''x'', 1048576))', 'PA009'),
  ('''t'', ''pay'', ''k'', take_over => null', 'PA008'),
  ('''u'', ''pay'', ''k''', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
