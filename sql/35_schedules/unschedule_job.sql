-- Ends a schedule. Jobs that it has enqueued stay.
--
-- name:    of the schedule.
-- Returns: true when this call ended it, false when there was none.
-- Locks:   the schedule's row.
-- Raises:  PA008, PA009 bad name; PA011 not a service role.
-- Safe to repeat.
create function pgagent.unschedule_job(name text)
returns boolean
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_had_row boolean;
begin
  perform pgagent._require_service();
  perform pgagent._check_name('name', unschedule_job.name);
  delete from pgagent.job_schedules as s where s.name = unschedule_job.name;
  v_had_row := found;
  return pgagent._cron_unschedule(unschedule_job.name) or v_had_row;
end
$$;

comment on function pgagent.unschedule_job(text) is 'Ends a schedule.';
