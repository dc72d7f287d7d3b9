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

create table pgagent.approvals (
  approval_id uuid not null,
  thread_id text collate "C" not null,
  job_id uuid,
  token bigint,
  checkpoint_ns text collate "C" not null default '',
  checkpoint_id text collate "C",
  interrupt_id text collate "C",
  position integer not null default 0,
  tool_call_key text collate "C",
  question jsonb not null,
  action jsonb,
  args_schema jsonb,
  response_schema jsonb,
  allowed text[] not null,
  status text collate "C" not null default 'PENDING',
  timeout interval,
  asked_at timestamptz,
  expires_at timestamptz,
  decided_by text collate "C",
  decided_at timestamptz,
  reason text,
  edited_action jsonb,
  response jsonb,
  created_at timestamptz not null default pgagent._now(),
  constraint approvals_pkey primary key (approval_id),
  constraint approvals_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint approvals_status_is_known check (
    status in (
      'PENDING', 'APPROVED', 'EDITED', 'REJECTED', 'RESPONDED', 'TIMED_OUT', 'SUPERSEDED',
      'CANCELLED'
    )
  ),
  constraint approvals_allowed_is_known check (
    allowed <@ '{approve,edit,reject,respond}' and cardinality(allowed) > 0
  ),
  constraint approvals_is_about_something check (num_nonnulls(interrupt_id, tool_call_key) > 0),
  constraint approvals_decided_by_means_decided check (
    (decided_by is not null) = (status in ('APPROVED', 'EDITED', 'REJECTED', 'RESPONDED'))
  ),
  constraint approvals_decided_at_means_not_pending check (
    (decided_at is not null) = (status <> 'PENDING')
  ),
  constraint approvals_edited_action_means_edited check (
    (edited_action is not null) = (status = 'EDITED')
  ),
  constraint approvals_response_means_responded check (
    (response is not null) = (status = 'RESPONDED')
  ),
  constraint approvals_deadline_runs_from_the_question check (
    expires_at is null or asked_at is not null
  )
) with (fillfactor = 80);

-- The questions of a pause. A question that is asked again later is another row.
create unique index approvals_of_a_pause
on pgagent.approvals (job_id, token, interrupt_id, position)
where interrupt_id is not null;
-- What is open of a run, and over all.
create index approvals_open on pgagent.approvals (job_id) where status = 'PENDING';
-- expire_approvals
create index approvals_expiring on pgagent.approvals (expires_at)
where status = 'PENDING' and expires_at is not null;
-- A call is decided once; what became void does not count.
create unique index approvals_by_tool_call on pgagent.approvals (thread_id, tool_call_key)
where tool_call_key is not null and status not in ('CANCELLED', 'SUPERSEDED');
-- Deletes and reads by thread.
create index approvals_by_thread on pgagent.approvals (thread_id, approval_id);

comment on table pgagent.approvals is
'One row a question to a person: what was asked, and what was decided, by whom, when and why.';
comment on column pgagent.approvals.approval_id is 'The question.';
comment on column pgagent.approvals.thread_id is 'The thread.';
comment on column pgagent.approvals.job_id is 'The run that asks; null for a run without a job.';
comment on column pgagent.approvals.token is 'Fencing token of the delivery that asked.';
comment on column pgagent.approvals.checkpoint_ns is 'Namespace of the checkpoint: the root.';
comment on column pgagent.approvals.checkpoint_id is
'The checkpoint the run paused at: once the thread has another, the question is void.';
comment on column pgagent.approvals.interrupt_id is
'The interrupt that asks; null for a tool call whose own interrupt another one hid.';
comment on column pgagent.approvals.position is
'Position among the actions of one interrupt, from 0.';
comment on column pgagent.approvals.tool_call_key is
'Idempotency key of the tool call it is about, if it is about one.';
comment on column pgagent.approvals.question is 'What was asked, as the interrupt gave it.';
comment on column pgagent.approvals.action is
'The call that is to be approved, as proposed: name and args.';
comment on column pgagent.approvals.args_schema is 'JSON Schema of args: edits must fit it.';
comment on column pgagent.approvals.response_schema is
'JSON Schema of what the interrupt returns: answers must fit it.';
comment on column pgagent.approvals.allowed is
'Which decisions are possible: approve, edit, reject, respond.';
comment on column pgagent.approvals.status is
'PENDING; decided: APPROVED, EDITED, REJECTED, RESPONDED; or void: TIMED_OUT (nobody decided in '
'time), SUPERSEDED (the thread went on), CANCELLED (the run ended).';
comment on column pgagent.approvals.timeout is 'How long people have, when the call itself says.';
comment on column pgagent.approvals.asked_at is
'When the run paused for it; null while the run still goes on, and nobody can decide.';
comment on column pgagent.approvals.expires_at is 'When it ends as TIMED_OUT.';
comment on column pgagent.approvals.decided_by is 'Who decided.';
comment on column pgagent.approvals.decided_at is 'When it was decided, or became void.';
comment on column pgagent.approvals.reason is 'Why; the model is told why a call was rejected.';
comment on column pgagent.approvals.edited_action is 'The call that was approved instead.';
comment on column pgagent.approvals.response is 'The answer that was given instead of a decision.';
comment on column pgagent.approvals.created_at is 'When the question was made.';
