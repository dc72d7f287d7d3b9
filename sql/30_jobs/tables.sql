-- Jobs: one row a run, updated as it moves; one more row for each delivery that ended.

-- What every row of agent_jobs must be; one function, as for sessions.
create function pgagent._is_whole_job(
  status text, priority smallint, attempt integer, max_attempts integer, lease_owner text,
  lease_expires_at timestamptz, lease interval, fencing_token bigint, claimed_at timestamptz,
  started_at timestamptz, waiting_for jsonb, result jsonb, completed_at timestamptz,
  idempotency_key text, fingerprint bytea
)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  return case status
      -- Running means leased, and nothing else does.
      when 'IN_PROGRESS'
        then
          num_nulls(lease_owner, lease_expires_at, lease, fencing_token, claimed_at, started_at) = 0
      else num_nonnulls(lease_owner, lease_expires_at, claimed_at) = 0
    end
    and (completed_at is null) = (status in ('WAITING', 'PENDING', 'IN_PROGRESS', 'AWAITING_HUMAN'))
    and (
      completed_at is null or status in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')
    )
    and (waiting_for is not null) = (status = 'AWAITING_HUMAN')
    and (result is null or status = 'COMPLETED')
    and priority between 0 and 9
    and attempt >= 0
    and max_attempts >= 1
    and (idempotency_key is null) = (fingerprint is null);
end
$$;

comment on function pgagent._is_whole_job(
  text, smallint, integer, integer, text, timestamptz, interval, bigint, timestamptz, timestamptz,
  jsonb, jsonb, timestamptz, text, bytea
) is
'Whether a job row may exist: its status is known and agrees with lease, times and result.';

create table pgagent.agent_jobs (
  job_id uuid not null,
  thread_id text collate "C" not null,
  seq bigint not null,
  queue text collate "C" not null,
  payload jsonb not null,
  config jsonb not null default '{}',
  status text collate "C" not null,
  priority smallint not null default 0,
  available_at timestamptz not null,
  attempt integer not null default 0,
  max_attempts integer not null default 3,
  lease_owner text collate "C",
  lease_expires_at timestamptz,
  lease interval,
  fencing_token bigint,
  claimed_at timestamptz,
  timeout interval,
  deadline_at timestamptz,
  step_timeout interval,
  step_deadline_at timestamptz,
  progress_step integer,
  started_checkpoint_id text collate "C",
  waiting_for jsonb,
  resume jsonb,
  cancel_requested_at timestamptz,
  cancelled_by text collate "C",
  cancel_reason text,
  idempotency_key text collate "C",
  fingerprint bytea,
  trace_id text collate "C",
  traceparent text collate "C",
  retry_base interval,
  retry_cap interval,
  single_delivery boolean not null default false,
  result jsonb,
  error jsonb,
  created_at timestamptz not null default pgagent._now(),
  started_at timestamptz,
  completed_at timestamptz,
  began_anew_at timestamptz,
  rolled_back_at timestamptz,
  constraint agent_jobs_pkey primary key (job_id),
  constraint agent_jobs_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint agent_jobs_seq_is_unique unique (thread_id, seq),
  constraint agent_jobs_row_is_whole check (
    pgagent._is_whole_job(
      status, priority, attempt, max_attempts, lease_owner, lease_expires_at, lease, fencing_token,
      claimed_at, started_at, waiting_for, result, completed_at, idempotency_key, fingerprint
    )
  )
) with (fillfactor = 80);

-- claim_job: one descent a queue and priority.
create index agent_jobs_ready on pgagent.agent_jobs (queue, priority, available_at, job_id)
where status = 'PENDING';
-- reap_expired: leases, and the deadlines of jobs that wait for another delivery.
create index agent_jobs_expiring on pgagent.agent_jobs (coalesce(lease_expires_at, deadline_at))
where coalesce(lease_expires_at, deadline_at) is not null and completed_at is null;
-- One run a thread: whoever frees the place promotes the next. `status = 'PENDING'` does not imply
-- its condition: a claim that was planned while the table was empty would walk all of it.
create unique index agent_jobs_one_run_a_thread on pgagent.agent_jobs (thread_id)
where completed_at is null and status <> 'WAITING';
-- The promotion looks for the next one here.
create index agent_jobs_waiting on pgagent.agent_jobs (thread_id, priority, available_at, seq)
where status = 'WAITING';
-- queue_stats
create index agent_jobs_standing on pgagent.agent_jobs (queue, status)
where status in ('WAITING', 'AWAITING_HUMAN');
-- dead_letters: the newest first.
create index agent_jobs_dead on pgagent.agent_jobs (completed_at)
where status in ('FAILED', 'TIMED_OUT');
create unique index agent_jobs_by_key on pgagent.agent_jobs (thread_id, idempotency_key)
where idempotency_key is not null;

comment on table pgagent.agent_jobs is 'One row a run of an agent: transitions update it.';
comment on column pgagent.agent_jobs.job_id is 'The run; a version-7 UUID, so ids sort by time.';
comment on column pgagent.agent_jobs.thread_id is
'The thread it runs on; one run a thread at a time.';
comment on column pgagent.agent_jobs.seq is 'Enqueue order within the thread.';
comment on column pgagent.agent_jobs.queue is 'The queue it is claimed from.';
comment on column pgagent.agent_jobs.payload is 'Input of the run.';
comment on column pgagent.agent_jobs.config is
'Configuration of this run, as it was when enqueued.';
comment on column pgagent.agent_jobs.status is
'WAITING (for its thread), PENDING, IN_PROGRESS, AWAITING_HUMAN; or ended: COMPLETED, FAILED, '
'CANCELLED, TIMED_OUT.';
comment on column pgagent.agent_jobs.priority is '0 to 9; higher is claimed first.';
comment on column pgagent.agent_jobs.available_at is 'Not claimed before this time.';
comment on column pgagent.agent_jobs.attempt is
'Deliveries since the run last made progress, counted at the claim.';
comment on column pgagent.agent_jobs.max_attempts is
'Deliveries without progress before it is FAILED.';
comment on column pgagent.agent_jobs.lease_owner is 'The worker that holds it.';
comment on column pgagent.agent_jobs.lease_expires_at is 'Until when, unless renewed.';
comment on column pgagent.agent_jobs.lease is 'Length of the lease that was asked for.';
comment on column pgagent.agent_jobs.fencing_token is 'Token of its current or last delivery.';
comment on column pgagent.agent_jobs.claimed_at is 'When the current delivery began.';
comment on column pgagent.agent_jobs.timeout is
'Longest time from the first claim; pauses start it anew.';
comment on column pgagent.agent_jobs.deadline_at is 'When that time is over: TIMED_OUT.';
comment on column pgagent.agent_jobs.step_timeout is 'Longest time without progress.';
comment on column pgagent.agent_jobs.step_deadline_at is 'When that time is over: the lease ends.';
comment on column pgagent.agent_jobs.progress_step is
'The highest step that ended deliveries of this job have stored a loop checkpoint of.';
comment on column pgagent.agent_jobs.started_checkpoint_id is
'The first root checkpoint of the run: set with it, it says that the input was taken in.';
comment on column pgagent.agent_jobs.waiting_for is
'What a paused run asks, by interrupt id.';
comment on column pgagent.agent_jobs.resume is 'The answers so far, by interrupt id.';
comment on column pgagent.agent_jobs.cancel_requested_at is 'When a running job was asked to stop.';
comment on column pgagent.agent_jobs.cancelled_by is 'Who cancelled it.';
comment on column pgagent.agent_jobs.cancel_reason is 'Why.';
comment on column pgagent.agent_jobs.idempotency_key is
'Unique in the thread: enqueueing the same key and payload again returns the first job.';
comment on column pgagent.agent_jobs.fingerprint is
'sha256 of payload and config, stored with the key.';
comment on column pgagent.agent_jobs.trace_id is 'Trace the run belongs to, across its attempts.';
comment on column pgagent.agent_jobs.traceparent is
'What it was enqueued within, in W3C Trace Context: spans of the run are children of that one.';
comment on column pgagent.agent_jobs.retry_base is
'Wait before its first retry, doubled by each further one; null: by queue or setting.';
comment on column pgagent.agent_jobs.retry_cap is
'The longest wait between two of its retries; null: by queue or setting.';
comment on column pgagent.agent_jobs.single_delivery is
'Whether nobody could go on from where a delivery ended: then it is FAILED instead of PENDING.';
comment on column pgagent.agent_jobs.result is 'What the run returned.';
comment on column pgagent.agent_jobs.error is 'The last error.';
comment on column pgagent.agent_jobs.created_at is 'When it was enqueued.';
comment on column pgagent.agent_jobs.started_at is 'When it was first claimed.';
comment on column pgagent.agent_jobs.completed_at is 'When it ended.';
comment on column pgagent.agent_jobs.began_anew_at is
'When a requeued job was last told to begin with its payload; a rollback reaches back to there.';
comment on column pgagent.agent_jobs.rolled_back_at is
'When its work was taken back; its events, tool calls and usage carry the same time.';

create table pgagent.job_attempts (
  job_id uuid not null,
  token bigint not null,
  thread_id text collate "C" not null,
  attempt integer not null,
  worker text collate "C" not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  outcome text collate "C" not null,
  job_status text collate "C" not null,
  error jsonb,
  created_at timestamptz not null default pgagent._now(),
  constraint job_attempts_pkey primary key (job_id, token),
  constraint job_attempts_job_id_fkey foreign key (job_id)
  references pgagent.agent_jobs (job_id) on delete cascade,
  constraint job_attempts_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint job_attempts_outcome_is_known check (
    outcome in ('completed', 'failed', 'released', 'paused', 'lost', 'timed_out', 'cancelled')
  )
);

-- Deletes and reads by thread.
create index job_attempts_by_thread on pgagent.job_attempts (thread_id);

comment on table pgagent.job_attempts is
'One row a delivery, written once, when it ends; a live delivery is the job row itself.';
comment on column pgagent.job_attempts.job_id is 'The run.';
comment on column pgagent.job_attempts.token is 'Fencing token of the delivery.';
comment on column pgagent.job_attempts.thread_id is 'The thread.';
comment on column pgagent.job_attempts.attempt is 'Attempt number it was delivered as.';
comment on column pgagent.job_attempts.worker is 'The worker that had it.';
comment on column pgagent.job_attempts.started_at is 'When it was claimed.';
comment on column pgagent.job_attempts.ended_at is 'When it ended.';
comment on column pgagent.job_attempts.outcome is
'completed, failed, released, paused, lost (the worker went silent), timed_out or cancelled.';
comment on column pgagent.job_attempts.job_status is
'Where it left the job: what a repeated call with the same token is answered with.';
comment on column pgagent.job_attempts.error is 'Why it failed.';
comment on column pgagent.job_attempts.created_at is 'When this row was written.';
