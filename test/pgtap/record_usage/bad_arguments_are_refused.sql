begin;
\ir ../_lib.sql
select plan(12);

select pgagent.create_session('t');

select throws_ok('select pgagent.record_usage(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('''t'', null', 'PA008'),
  ('''t'', ''''', 'PA008'),
  ('''t'', repeat(''x'', 256)', 'PA009'),
  ('''t'', ''k'', -1', 'PA008'),
  ('''t'', ''k'', null', 'PA008'),
  ('''t'', ''k'', 0, -1', 'PA008'),
  ('''t'', ''k'', cost => -0.01', 'PA008'),
  ('''t'', ''k'', cost => ''NaN''', 'PA008'),
  ('''t'', ''k'', cost => ''Infinity''', 'PA008'),
  ('''t'', ''k'', model => ''''', 'PA008'),
  ('''t'', ''k'', data => to_jsonb(repeat(''x'', 1048576))', 'PA009'),
  ('''u'', ''k''', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
