-- Enqueues what schedules are due: the tick of every scheduler. Calls that are late, early or twice
-- do no harm: the tick is the last time that the schedule names, and its job has a key made from
-- the schedule's name and the tick.
--
-- schedule_name: this one alone; null for all.
-- Returns:       one row a schedule with a new tick: its name, the tick, the job, and the outcome:
--                enqueued, known (another call enqueued it), busy (on_busy => 'reject'), or gone
--                (its thread was archived).
-- Locks:         the sessions, in the order of thread ids; then the rows of the schedules.
-- Raises:        PA008, PA009 bad name; PA003 no such schedule; PA011 not a service role.
-- Safe to repeat, and to run twice at once.
create function pgagent.run_schedules(schedule_name text default null)
returns table (name text, tick timestamptz, job_id uuid, outcome text)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
  v_done jsonb := '[]'::jsonb;
  r record;
begin
  perform pgagent._require_service();
  if run_schedules.schedule_name is not null then
    perform pgagent._check_name('schedule_name', run_schedules.schedule_name);
    if not exists (
      select from pgagent.job_schedules as s where s.name = run_schedules.schedule_name
    ) then
      perform pgagent._raise(
        'PA003', 'no such schedule', format('name: %s', run_schedules.schedule_name),
        'select name from pgagent.job_schedules;'
      );
    end if;
  end if;

  for r in
    select
      s.*, t.tick, u.tick_text, replace(s.thread, '{tick}', u.tick_text) as thread_id
    from pgagent.job_schedules as s
    cross join lateral (select pgagent._cron_tick(s.schedule, v_now) as tick) as t
    cross join lateral (
      select to_char(t.tick at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') as tick_text
    ) as u
    where (run_schedules.schedule_name is null or s.name = run_schedules.schedule_name)
      and t.tick > greatest(s.updated_at, s.last_tick_at)
    order by thread_id, s.name
  loop
    name := r.name;
    tick := r.tick;
    job_id := null;
    begin
      if r.thread_owner is not null then
        perform pgagent._begin_session(r.thread_id, r.thread_owner);
      end if;
      select e.job_id, case when e.enqueued then 'enqueued' else 'known' end
      into run_schedules.job_id, run_schedules.outcome
      from pgagent.enqueue_job(
        r.thread_id, r.payload, queue => r.queue, priority => r.priority, config => r.config,
        idempotency_key => pgagent.idempotency_key('schedule', r.name, r.tick_text),
        max_attempts => r.max_attempts, timeout => r.timeout, step_timeout => r.step_timeout,
        on_busy => r.on_busy
      ) as e;
    exception
      when sqlstate 'PA001' then
        outcome := 'busy';
      when sqlstate 'PA006' then
        outcome := 'gone';
    end;
    v_done := v_done || jsonb_build_object(
      'name', r.name, 'tick', r.tick, 'job_id', run_schedules.job_id
    );
    return next;
  end loop;

  update pgagent.job_schedules as s
  set last_tick_at = d.tick, last_job_id = coalesce(d.job_id, s.last_job_id)
  from jsonb_to_recordset(v_done) as d (name text, tick timestamptz, job_id uuid)
  where s.name = d.name
    and (s.last_tick_at < d.tick) is not false;
end
$$;

comment on function pgagent.run_schedules(text) is
'Enqueues what schedules are due, one job a tick: to be called by any scheduler.';
