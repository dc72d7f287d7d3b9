begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');

select throws_ok('select pgagent.complete_job(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, 1', 'PA008'),
  ('pg_temp.job(''t''), null', 'PA008'),
  ('pg_temp.job(''t''), 1, to_jsonb(repeat(''x'', 1048576))', 'PA009'),
  ('gen_random_uuid(), 1', 'PA003')
) as c (arguments, code);

select * from finish();
rollback;
