begin;
\ir ../_lib.sql
select plan(6);

select pgagent.enqueue_job('t', '{}');

select throws_ok('select pgagent.cancel_job(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null', 'PA008'),
  ('gen_random_uuid()', 'PA003'),
  ('pg_temp.job(''t''), repeat(''x'', 1001)', 'PA009'),
  ('pg_temp.job(''t''), cancelled_by => ''''', 'PA008'),
  ('pg_temp.job(''t''), cancelled_by => repeat(''x'', 256)', 'PA009'),
  ('pg_temp.job(''t''), force => null', 'PA008')
) as c (arguments, code);

select * from finish();
rollback;
