begin;
\ir ../_lib.sql
select plan(5);

select pg_temp.run('t');

select throws_ok('select pgagent.release_job(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, 1', 'PA008'),
  ('pg_temp.job(''t''), null', 'PA008'),
  ('pg_temp.job(''t''), 1, null', 'PA008'),
  ('pg_temp.job(''t''), 1, ''-1 s''', 'PA008'),
  ('gen_random_uuid(), 1', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
