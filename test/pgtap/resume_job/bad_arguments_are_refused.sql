begin;
\ir ../_lib.sql
select plan(6);

select pg_temp.run('t');

select throws_ok('select pgagent.resume_job(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, ''{"q": 1}''', 'PA008'),
  ('pg_temp.job(''t''), null', 'PA008'),
  ('pg_temp.job(''t''), ''[]''', 'PA008'),
  ('pg_temp.job(''t''), ''{}''', 'PA008'),
  ('pg_temp.job(''t''), jsonb_build_object(''q'', repeat(''x'', 1048576))', 'PA009'),
  ('gen_random_uuid(), ''{"q": 1}''', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
