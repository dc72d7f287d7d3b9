begin;
\ir ../_lib.sql
select plan(4);

select throws_ok(format('select pgagent.reap_expired(%s)', c.argument), c.code, null, c.argument)
from (
  values ('null', 'PA008'), ('0', 'PA008'), ('-1', 'PA008'), ('10001', 'PA009')
) as c (argument, code);

select * from finish();
rollback;
