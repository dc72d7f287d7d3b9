begin;
\ir ../_lib.sql
select plan(9);

select throws_ok('select pgagent.start_run(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, ''w1''', 'PA008'),
  ('''t'', null', 'PA008'),
  ('''t'', repeat(''x'', 256)', 'PA009'),
  ('''t'', ''w1'', null', 'PA008'),
  ('''t'', ''w1'', queue => ''''', 'PA008'),
  ('''t'', ''w1'', lease => ''0''', 'PA008'),
  ('''t'', ''w1'', lease => null', 'PA008'),
  ('''t'', ''w1'', timeout => ''-1 s''', 'PA008'),
  ('''t'', ''w1'', max_attempts => 0', 'PA008')
) as c (arguments, code);

select * from finish();
rollback;
