begin;
\ir ../_lib.sql
select plan(8);

select throws_ok('select pgagent.claim_job(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null', 'PA008'),
  ('''''', 'PA008'),
  ('repeat(''x'', 256)', 'PA009'),
  ('''w1'', null', 'PA008'),
  ('''w1'', ''''', 'PA008'),
  ('''w1'', repeat(''x'', 256)', 'PA009'),
  ('''w1'', lease => ''0''', 'PA008'),
  ('''w1'', lease => ''-1 s''', 'PA008')
) as c (arguments, code);

select * from finish();
rollback;
