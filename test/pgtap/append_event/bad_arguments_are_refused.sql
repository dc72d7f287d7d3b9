begin;
\ir ../_lib.sql
select plan(6);

select pgagent.create_session('t');

select throws_ok('select pgagent.append_event(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('''t'', null', 'PA008'),
  ('''t'', ''''', 'PA008'),
  ('''t'', repeat(''x'', 256)', 'PA009'),
  ('''t'', ''x'', to_jsonb(repeat(''x'', 1048576))', 'PA009'),
  ('''t'', ''x'', trace_id => ''''', 'PA008'),
  ('''u'', ''x''', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
