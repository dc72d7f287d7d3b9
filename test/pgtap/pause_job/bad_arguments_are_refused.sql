begin;
\ir ../_lib.sql
select plan(7);

select pg_temp.run('t');

select throws_ok('select pgagent.pause_job(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, 1, ''{"q": 1}''', 'PA008'),
  ('pg_temp.job(''t''), null, ''{"q": 1}''', 'PA008'),
  ('pg_temp.job(''t''), 1, null', 'PA008'),
  ('pg_temp.job(''t''), 1, ''[]''', 'PA008'),
  ('pg_temp.job(''t''), 1, ''{}''', 'PA008'),
  ('pg_temp.job(''t''), 1, jsonb_build_object(''q'', repeat(''x'', 1048576))', 'PA009'),
  ('gen_random_uuid(), 1, ''{"q": 1}''', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
