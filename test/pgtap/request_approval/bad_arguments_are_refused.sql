begin;
\ir ../_lib.sql
select plan(9);

select pg_temp.run('t');

select throws_ok('select pgagent.request_approval(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('''t'', null, ''pay'', fencing_token => 1', 'PA008'),
  ('''t'', ''k'', '''', fencing_token => 1', 'PA008'),
  ('''t'', ''k'', ''pay'', ''[]'', fencing_token => 1', 'PA008'),
  ('''t'', ''k'', ''pay'', allowed => ''{}'', fencing_token => 1', 'PA008'),
  ('''t'', ''k'', ''pay'', allowed => ''{ignore}'', fencing_token => 1', 'PA008'),
  ('''t'', ''k'', ''pay'', allowed => null, fencing_token => 1', 'PA008'),
  ('''t'', ''k'', ''pay'', args_schema => ''1'', fencing_token => 1', 'PA008'),
  ('''t'', ''k'', ''pay'', timeout => ''0'', fencing_token => 1', 'PA008'),
  ('''u'', ''k'', ''pay''', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
