-- Tool calls: a mark before the effect and a receipt after it, so that a retry does not repeat it.

create table pgagent.tool_calls (
  call_id uuid not null,
  thread_id text collate "C" not null,
  step_id text collate "C",
  step integer,
  position integer,
  tool text collate "C" not null,
  args jsonb not null,
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  status text collate "C" not null,
  token bigint,
  attempts integer not null default 1,
  result jsonb,
  error jsonb,
  decision jsonb,
  job_id uuid,
  created_at timestamptz not null default pgagent._now(),
  started_at timestamptz not null default pgagent._now(),
  ended_at timestamptz,
  rolled_back_at timestamptz,
  constraint tool_calls_pkey primary key (call_id),
  constraint tool_calls_key_is_unique unique (thread_id, idempotency_key),
  constraint tool_calls_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint tool_calls_status_is_known check (
    status in ('STARTED', 'SUCCEEDED', 'FAILED', 'IN_DOUBT')
  ),
  constraint tool_calls_ended_at_means_ended check (
    (ended_at is not null) = (status in ('SUCCEEDED', 'FAILED'))
  ),
  constraint tool_calls_error_means_failed check (error is null or status <> 'SUCCEEDED'),
  constraint tool_calls_attempts_is_a_count check (attempts >= 1)
) with (fillfactor = 80);

-- The last calls of a run.
create index tool_calls_by_job on pgagent.tool_calls (job_id, call_id) where job_id is not null;
-- For the story of a thread: ids are made in the order the calls were begun.
create index tool_calls_in_order on pgagent.tool_calls (thread_id, call_id);

comment on table pgagent.tool_calls is
'One row a tool call: STARTED before the effect, SUCCEEDED or FAILED after it.';
comment on column pgagent.tool_calls.call_id is 'The call.';
comment on column pgagent.tool_calls.thread_id is 'The thread.';
comment on column pgagent.tool_calls.step_id is 'The checkpoint the calling task ran from.';
comment on column pgagent.tool_calls.step is
'The step of the graph that it was called in; kept when the checkpoint is pruned.';
comment on column pgagent.tool_calls.position is 'Position among the calls of its task.';
comment on column pgagent.tool_calls.tool is 'Name of the tool.';
comment on column pgagent.tool_calls.args is 'Its arguments.';
comment on column pgagent.tool_calls.idempotency_key is
'Unique in the thread, the same when the call is made again after a crash; handed to the tool.';
comment on column pgagent.tool_calls.fingerprint is
'sha256 of tool and arguments: other arguments under the key are an error, not a second effect.';
comment on column pgagent.tool_calls.status is 'STARTED, SUCCEEDED, FAILED or IN_DOUBT.';
comment on column pgagent.tool_calls.token is 'Fencing token under which it was last started.';
comment on column pgagent.tool_calls.attempts is 'How often it was started.';
comment on column pgagent.tool_calls.result is 'What it returned; replayed to later callers.';
comment on column pgagent.tool_calls.error is 'Why it failed.';
comment on column pgagent.tool_calls.decision is 'What a person decided about it.';
comment on column pgagent.tool_calls.job_id is 'The run that made it.';
comment on column pgagent.tool_calls.created_at is 'When it was first started.';
comment on column pgagent.tool_calls.started_at is 'When it was last started.';
comment on column pgagent.tool_calls.ended_at is 'When it succeeded or failed.';
comment on column pgagent.tool_calls.rolled_back_at is
'When the work of its run was taken back; the call was made all the same.';
