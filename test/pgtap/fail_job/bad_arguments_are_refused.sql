begin;
\ir ../_lib.sql
select plan(7);

select pg_temp.run('t');

select throws_ok('select pgagent.fail_job(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, 1, ''1''', 'PA008'),
  ('pg_temp.job(''t''), null, ''1''', 'PA008'),
  ('pg_temp.job(''t''), 1, null', 'PA008'),
  ('pg_temp.job(''t''), 1, ''1'', fatal => null', 'PA008'),
  ('pg_temp.job(''t''), 1, ''1'', retry_in => ''-1 s''', 'PA008'),
  ('pg_temp.job(''t''), 1, to_jsonb(repeat(''x'', 1048576))', 'PA009'),
  ('gen_random_uuid(), 1, ''1''', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
