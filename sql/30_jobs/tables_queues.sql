-- What is kept beside jobs: queues, and the elements of a batch on their way.

-- One element, and what becomes of it on the way.
create type pgagent._new_job as (
  ordinal bigint, thread_id text, payload jsonb, queue text, priority integer, delay interval,
  config jsonb, idempotency_key text, max_attempts integer, timeout interval,
  step_timeout interval, on_busy text, trace_id text, traceparent text, retry_base interval,
  retry_cap interval, fingerprint bytea, job_id uuid, seq bigint, event_seq bigint, status text,
  enqueued boolean, error jsonb
);

comment on type pgagent._new_job is
'An element of enqueue_jobs: what it asks for, and what became of it.';

-- What an operator has decided about a queue. A queue needs no row: without one it is open, without
-- limits, and jobs wait between retries as the settings say.
create table pgagent.queues (
  queue text collate "C" not null,
  paused_at timestamptz,
  paused_by text collate "C",
  max_running integer,
  max_running_per_user integer,
  retry_base interval,
  retry_cap interval,
  created_at timestamptz not null default pgagent._now(),
  updated_at timestamptz not null default pgagent._now(),
  constraint queues_pkey primary key (queue),
  constraint queues_queue_fits check (octet_length(queue) between 1 and 255),
  constraint queues_paused_by_somebody check ((paused_at is null) = (paused_by is null)),
  constraint queues_limits_are_counts check (max_running >= 1 and max_running_per_user >= 1),
  constraint queues_waits_are_above_zero check (
    retry_base > interval '0' and retry_cap > interval '0'
  )
);

comment on table pgagent.queues is
'What was decided about a queue: paused, limits, waits between retries. A queue needs no row.';
comment on column pgagent.queues.queue is 'The queue.';
comment on column pgagent.queues.paused_at is 'Since when nothing is claimed from it.';
comment on column pgagent.queues.paused_by is 'Who paused it.';
comment on column pgagent.queues.max_running is 'How many of its jobs may run at once.';
comment on column pgagent.queues.max_running_per_user is
'How many of its jobs may run at once for one owner of threads.';
comment on column pgagent.queues.retry_base is
'Wait before the first retry of a failed job; null: the setting of that name.';
comment on column pgagent.queues.retry_cap is
'The longest wait between two retries; null: the setting of that name.';
comment on column pgagent.queues.created_at is 'When something was first decided about it.';
comment on column pgagent.queues.updated_at is 'When something was last decided about it.';

-- The places of limited queues: a claim takes one, and nothing gives it back. A place is free when
-- the delivery that took it is over, however it ended.
create table pgagent.queue_slots (
  queue text collate "C" not null,
  user_id text collate "C" not null,
  slot integer not null,
  job_id uuid,
  fencing_token bigint,
  created_at timestamptz not null default pgagent._now(),
  constraint queue_slots_pkey primary key (queue, user_id, slot),
  constraint queue_slots_queue_fkey foreign key (queue) references pgagent.queues (queue)
  on delete cascade,
  constraint queue_slots_taken_by_a_delivery check ((job_id is null) = (fencing_token is null))
) with (fillfactor = 50);

comment on table pgagent.queue_slots is
'The places of queues with a limit, as many as may run at once.';
comment on column pgagent.queue_slots.queue is 'The queue.';
comment on column pgagent.queue_slots.user_id is
'The owner whose place it is; empty: a place of the whole queue.';
comment on column pgagent.queue_slots.slot is 'Number of the place, from 1.';
comment on column pgagent.queue_slots.job_id is 'The job that took it last.';
comment on column pgagent.queue_slots.fencing_token is
'Its delivery: while that runs, the place is taken.';
comment on column pgagent.queue_slots.created_at is 'When the place was made.';
