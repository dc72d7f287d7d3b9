begin;
\ir ../_lib.sql
select plan(7);

select throws_ok('select pgagent.grant_access(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, ''worker''', 'PA008'),
  (''''', ''worker''', 'PA008'),
  ('''t_worker'', null', 'PA008'),
  ('''t_worker'', ''owner''', 'PA008'),
  ('''t_unknown'', ''worker''', 'PA003'),
  ('''public'', ''worker''', 'PA003'),
  ('repeat(''x'', 256), ''worker''', 'PA009')
) as c (arguments, code);

select * from finish();
rollback;
