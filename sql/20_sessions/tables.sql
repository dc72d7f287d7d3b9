-- Sessions: one row a conversation.

-- What every session row must be. PostgreSQL reads and compiles each check of a table anew in each
-- statement: the same as eight checks, with six of agent_jobs, took a quarter of the time of a
-- claim and a completion. A function is compiled once in a session.
create function pgagent._is_whole_session(
  thread_id text, user_id text, status text, active_job_id uuid, fencing_token bigint,
  owner_token bigint, completed_at timestamptz, deleted_at timestamptz
)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  return octet_length(thread_id) between 1 and pgagent._limit('thread_id')
    and (user_id is null or octet_length(user_id) between 1 and pgagent._limit('name'))
    -- Running means owned, by the holder of the newest token, for a job.
    and (owner_token is not null) = (status = 'RUNNING')
    and (owner_token is null or (owner_token = fencing_token and active_job_id is not null))
    and (completed_at is not null) = (status in ('COMPLETED', 'FAILED'))
    and (deleted_at is not null) = (status = 'DELETED')
    and (
      status in ('IDLE', 'RUNNING', 'AWAITING_HUMAN', 'COMPLETED', 'FAILED')
      or (status in ('ARCHIVED', 'DELETED') and active_job_id is null)
    );
end
$$;

comment on function pgagent._is_whole_session(
  text, text, text, uuid, bigint, bigint, timestamptz, timestamptz
) is
'Whether a session row may exist: its status is known and agrees with owner, job and times.';

create table pgagent.agent_sessions (
  thread_id text collate "C" not null,
  user_id text collate "C",
  status text collate "C" not null default 'IDLE',
  head_checkpoint_id text collate "C",
  active_job_id uuid,
  fencing_token bigint not null default 0,
  owner_token bigint,
  progress_step integer,
  last_message_seq bigint not null default 0,
  last_event_seq bigint not null default 0,
  last_job_seq bigint not null default 0,
  last_checkpoint_seq bigint not null default 0,
  created_at timestamptz not null default pgagent._now(),
  last_activity_at timestamptz not null default pgagent._now(),
  active_hour timestamptz not null default date_bin('1 hour', pgagent._now(), 'epoch'),
  completed_at timestamptz,
  expires_at timestamptz,
  pinned boolean not null default false,
  deleted_at timestamptz,
  constraint agent_sessions_pkey primary key (thread_id),
  constraint agent_sessions_row_is_whole check (
    pgagent._is_whole_session(
      thread_id, user_id, status, active_job_id, fencing_token, owner_token, completed_at,
      deleted_at
    )
  )
) with (fillfactor = 60);

-- Short and read by every write: never compressed, never moved out of line.
alter table pgagent.agent_sessions
alter column thread_id set storage plain,
alter column user_id set storage plain,
alter column status set storage plain,
alter column head_checkpoint_id set storage plain;

-- No index may mention a column that a put, an append, a renewal or a claim changes, or each of
-- those updates writes every index again. active_hour changes once an hour. None but the key ends
-- in thread_id: while the table is thought to be empty, a look-up by thread might be planned as a
-- walk through all of that index.
create index agent_sessions_by_owner on pgagent.agent_sessions (user_id, active_hour desc)
where user_id is not null;
create index agent_sessions_by_activity on pgagent.agent_sessions (active_hour);

comment on table pgagent.agent_sessions is
'One row a thread: who owns it, which run may write to it, and its counters.';
comment on column pgagent.agent_sessions.thread_id is 'The conversation key, chosen by the client.';
comment on column pgagent.agent_sessions.user_id is
'Owner, the only owner column of the schema; null means visible to service roles only.';
comment on column pgagent.agent_sessions.status is
'IDLE, RUNNING, AWAITING_HUMAN, COMPLETED or FAILED as its last job; ARCHIVED or DELETED: '
'tombstone.';
comment on column pgagent.agent_sessions.head_checkpoint_id is
'The newest checkpoint of the root namespace.';
comment on column pgagent.agent_sessions.active_job_id is
'The one job that is pending, running or waiting for a person.';
comment on column pgagent.agent_sessions.fencing_token is
'Grows by one at every claim of any job of the thread and never falls.';
comment on column pgagent.agent_sessions.owner_token is
'The fencing token that may write now; null while nobody owns the thread.';
comment on column pgagent.agent_sessions.progress_step is
'The highest step that the job has stored a loop checkpoint of, this delivery included.';
comment on column pgagent.agent_sessions.last_message_seq is 'Number of the newest message.';
comment on column pgagent.agent_sessions.last_event_seq is 'Number of the newest event.';
comment on column pgagent.agent_sessions.last_job_seq is 'Number of the newest job.';
comment on column pgagent.agent_sessions.last_checkpoint_seq is
'Number of the newest checkpoint, over all namespaces.';
comment on column pgagent.agent_sessions.created_at is 'When the thread was made.';
comment on column pgagent.agent_sessions.last_activity_at is
'When it was last written to; never falls. Task writes alone do not move it.';
comment on column pgagent.agent_sessions.active_hour is
'The hour of last_activity_at: lists and retention use it, because it may be indexed.';
comment on column pgagent.agent_sessions.completed_at is
'When its last job ended; null while one is live.';
comment on column pgagent.agent_sessions.expires_at is
'When retention may remove it; null: by policy.';
comment on column pgagent.agent_sessions.pinned is 'Retention never touches a pinned thread.';
comment on column pgagent.agent_sessions.deleted_at is
'When it was deleted; set on tombstones only.';

create table pgagent.session_data (
  thread_id text collate "C" not null,
  config jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null default pgagent._now(),
  constraint session_data_pkey primary key (thread_id),
  constraint session_data_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint session_data_config_is_an_object check (jsonb_typeof(config) = 'object'),
  constraint session_data_config_fits check (pg_column_size(config) <= 16384),
  constraint session_data_metadata_is_an_object check (jsonb_typeof(metadata) = 'object'),
  constraint session_data_metadata_fits check (pg_column_size(metadata) <= 16384)
);

comment on table pgagent.session_data is
'Configuration and metadata of a thread, apart from its busy row. The view sessions shows both.';
comment on column pgagent.session_data.thread_id is 'The thread.';
comment on column pgagent.session_data.config is 'Run configuration: a small JSON object.';
comment on column pgagent.session_data.metadata is 'Title, tags and the like: a small JSON object.';
comment on column pgagent.session_data.created_at is 'When it was first stored.';
