begin;
\ir ../_lib.sql
select plan(4);

select matches(
  pg_temp.refusal($$select pgagent.schedule_job('nightly', '@daily', 't', '{}')$$), v.said
)
from (
  values
  ('^PA003 pg_cron is not installed in this database'),
  ('psql -d plain_\d+ -c "select pgagent.run_schedules'),
  ('cron.schedule_in_database\(''pgagent nightly'', ''\* \* \* \* \*''')
) as v (said);
select is_empty('select * from pgagent.job_schedules', 'and nothing is stored');

select * from finish();
rollback;
