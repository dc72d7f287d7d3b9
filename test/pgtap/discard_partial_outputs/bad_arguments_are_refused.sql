begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');

select throws_ok(
  'select pgagent.discard_partial_outputs(' || c.arguments || ')', c.code, null, c.arguments
)
from (
  values ('null, 1', 'PA008'), ('''t'', null', 'PA008'), ('''u'', 1', 'PA003'),
  ('''t'', 2', 'PA002')
) as c (arguments, code);

select * from finish();
rollback;
