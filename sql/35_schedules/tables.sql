-- Schedules: jobs that are enqueued again and again.

create table pgagent.job_schedules (
  name text collate "C" not null,
  schedule text not null,
  thread text collate "C" not null,
  thread_owner text collate "C",
  payload jsonb not null,
  queue text collate "C" not null,
  priority smallint not null,
  config jsonb not null,
  max_attempts integer not null,
  timeout interval,
  step_timeout interval,
  on_busy text collate "C" not null,
  scheduler text collate "C" not null,
  last_tick_at timestamptz,
  last_job_id uuid,
  created_by text collate "C" not null,
  created_at timestamptz not null default pgagent._now(),
  updated_at timestamptz not null default pgagent._now(),
  constraint job_schedules_pkey primary key (name),
  constraint job_schedules_on_busy_is_known check (on_busy in ('enqueue', 'reject')),
  constraint job_schedules_scheduler_is_known check (scheduler in ('pg_cron', 'external'))
);

comment on table pgagent.job_schedules is
'What schedule_job was told: jobs that are enqueued at every tick of a schedule.';
comment on column pgagent.job_schedules.name is 'Name of the schedule.';
comment on column pgagent.job_schedules.schedule is
'When, in the five fields of cron, in UTC: minute, hour, day of month, month, day of week.';
comment on column pgagent.job_schedules.thread is
'The thread its jobs run on; {tick} stands for the time of the tick.';
comment on column pgagent.job_schedules.thread_owner is 'Owner of threads that it makes.';
comment on column pgagent.job_schedules.payload is 'Input of each run.';
comment on column pgagent.job_schedules.queue is 'Queue of the jobs.';
comment on column pgagent.job_schedules.priority is 'Their priority.';
comment on column pgagent.job_schedules.config is 'Their configuration.';
comment on column pgagent.job_schedules.max_attempts is 'As for enqueue_job.';
comment on column pgagent.job_schedules.timeout is 'As for enqueue_job.';
comment on column pgagent.job_schedules.step_timeout is 'As for enqueue_job.';
comment on column pgagent.job_schedules.on_busy is
'enqueue: behind the thread''s other jobs; reject: a tick that finds it busy is left out.';
comment on column pgagent.job_schedules.scheduler is
'Who calls run_schedules: pg_cron, or external.';
comment on column pgagent.job_schedules.last_tick_at is 'The last tick that was seen to.';
comment on column pgagent.job_schedules.last_job_id is 'The job it enqueued last.';
comment on column pgagent.job_schedules.created_by is 'Who made it.';
comment on column pgagent.job_schedules.created_at is 'When it was made.';
comment on column pgagent.job_schedules.updated_at is
'When it was last changed; ticks of before are not made up for.';
