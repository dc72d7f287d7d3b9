-- Enqueues a job at every tick of a schedule: one a tick, however many schedulers call.
--
-- name:         of the schedule; the same name again changes it.
-- schedule:     five fields as in cron, in UTC, without seconds; or @hourly, @daily, @weekly...
-- thread_id:    the thread; '{tick}' in it stands for the time of the tick (2026-12-01T03:00Z), so
--               that 'report-{tick}' makes a thread of its own for each.
-- payload, queue, priority, config, max_attempts, timeout, step_timeout: as for enqueue_job.
-- on_busy:      'enqueue' behind the thread's other jobs; 'reject' leaves a tick out that finds the
--               thread busy.
-- thread_owner: user_id of threads that it makes.
-- scheduler:    'pg_cron', which must be installed in this database; or 'external': somebody calls
--               run_schedules() once a minute.
-- Returns:      created, changed or unchanged.
-- Ticks of before this call, and all but the last of those that nobody called for, are left out.
-- Locks:        the schedule's row.
-- Raises:       PA008, PA009 bad arguments; PA003 there is no pg_cron (the hint says what else can
--               be done); PA011 not a service role, or the owner of the schema may not use pg_cron.
-- Safe to repeat.
create function pgagent.schedule_job(
  name text, schedule text, thread_id text, payload jsonb, queue text default 'default',
  priority integer default 0, config jsonb default '{}', max_attempts integer default 3,
  timeout interval default null, step_timeout interval default null,
  on_busy text default 'enqueue', thread_owner text default null,
  scheduler text default 'pg_cron'
)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_before pgagent.job_schedules;
  v_after pgagent.job_schedules;
begin
  perform pgagent._require_service();
  perform pgagent._check_name('name', schedule_job.name);
  if schedule_job.thread_owner is not null then
    perform pgagent._check_name('thread_owner', schedule_job.thread_owner);
  end if;
  if pgagent._cron_tick(schedule_job.schedule, pgagent._now()) is null then
    perform pgagent._raise(
      'PA008', 'the schedule names a day that never comes',
      format('schedule: %s', schedule_job.schedule)
    );
  end if;
  perform pgagent._check_job(
    thread_id => replace(schedule_job.thread_id, '{tick}', '2026-12-01T03:00Z'),
    payload => schedule_job.payload, queue => schedule_job.queue,
    priority => schedule_job.priority, delay => '0', config => schedule_job.config,
    idempotency_key => null, max_attempts => schedule_job.max_attempts,
    timeout => schedule_job.timeout, step_timeout => schedule_job.step_timeout, trace_id => null
  );
  if (schedule_job.on_busy in ('enqueue', 'reject')) is not true then
    perform pgagent._raise('PA008', 'on_busy must be enqueue or reject');
  end if;
  if (schedule_job.scheduler in ('pg_cron', 'external')) is not true then
    perform pgagent._raise('PA008', 'scheduler must be pg_cron or external');
  end if;

  select * into v_before
  from pgagent.job_schedules as s
  where s.name = schedule_job.name
  for no key update;
  insert into pgagent.job_schedules as s (
    name, schedule, thread, thread_owner, payload, queue, priority, config, max_attempts, timeout,
    step_timeout, on_busy, scheduler, created_by
  )
  values (
    schedule_job.name, schedule_job.schedule, schedule_job.thread_id, schedule_job.thread_owner,
    schedule_job.payload, schedule_job.queue, schedule_job.priority, schedule_job.config,
    schedule_job.max_attempts, schedule_job.timeout, schedule_job.step_timeout,
    schedule_job.on_busy, schedule_job.scheduler, pgagent._caller()
  )
  on conflict on constraint job_schedules_pkey do update
  set
    schedule = excluded.schedule, thread = excluded.thread,
    thread_owner = excluded.thread_owner, payload = excluded.payload, queue = excluded.queue,
    priority = excluded.priority, config = excluded.config,
    max_attempts = excluded.max_attempts, timeout = excluded.timeout,
    step_timeout = excluded.step_timeout, on_busy = excluded.on_busy,
    scheduler = excluded.scheduler
  returning s.* into v_after;

  if schedule_job.scheduler = 'pg_cron' then
    perform pgagent._cron_schedule(
      schedule_job.name, schedule_job.schedule,
      format('select pgagent.run_schedules(%L)', schedule_job.name)
    );
  else
    perform pgagent._cron_unschedule(schedule_job.name);
  end if;
  if v_before.name is null then
    return 'created';
  elsif v_before is not distinct from v_after then
    return 'unchanged';
  end if;
  update pgagent.job_schedules as s
  set updated_at = pgagent._now()
  where s.name = schedule_job.name;
  return 'changed';
end
$$;

comment on function pgagent.schedule_job(
  text, text, text, jsonb, text, integer, jsonb, integer, interval, interval, text, text, text
) is
'Enqueues a job at every tick of a cron schedule, one a tick.';
