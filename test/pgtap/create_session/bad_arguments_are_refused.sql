begin;
\ir ../_lib.sql
select plan(8);

select throws_ok('select pgagent.create_session(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('''''', 'PA008'),
  ('repeat(''x'', 1025)', 'PA009'),
  ('''t'', ''''', 'PA008'),
  ('''t'', repeat(''x'', 256)', 'PA009'),
  ('''t'', config => null', 'PA008'),
  ('''t'', config => ''[]''', 'PA008'),
  ('''t'', metadata => ''1''', 'PA008'),
  ('''t'', config => jsonb_build_object(''x'', repeat(''x'', 16384))', 'PA009')
) as c (arguments, code);

select * from finish();
rollback;
