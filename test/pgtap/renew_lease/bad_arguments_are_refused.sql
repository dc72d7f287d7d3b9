begin;
\ir ../_lib.sql
select plan(6);

select pg_temp.run('t');

select throws_ok('select pgagent.renew_lease(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, 1', 'PA008'),
  ('pg_temp.job(''t''), null', 'PA008'),
  ('pg_temp.job(''t''), 1, ''0''', 'PA008'),
  ('pg_temp.job(''t''), 1, ''-1 s''', 'PA008'),
  ('pg_temp.job(''t''), 1, ''11 years''', 'PA008'),
  ('gen_random_uuid(), 1', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
