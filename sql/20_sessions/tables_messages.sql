-- What belongs to a conversation: its messages (the model's view), its events (the operator's view)
-- and what it used. Three grains, three tables.

create table pgagent.session_messages (
  thread_id text collate "C" not null,
  seq bigint not null,
  role text collate "C" not null,
  content jsonb not null,
  context jsonb,
  tool_call_id text collate "C",
  turn text collate "C",
  idempotency_key text collate "C",
  fingerprint bytea,
  token_count bigint,
  job_id uuid,
  retracted_at timestamptz,
  created_at timestamptz not null default pgagent._now(),
  constraint session_messages_pkey primary key (thread_id, seq),
  constraint session_messages_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint session_messages_role_is_known check (
    role in ('system', 'user', 'assistant', 'tool_call', 'tool_result')
  ),
  constraint session_messages_key_has_a_fingerprint check (
    (idempotency_key is null) = (fingerprint is null)
  ),
  constraint session_messages_token_count_is_a_count check (token_count >= 0),
  constraint session_messages_calls_have_an_id check (
    role not in ('tool_call', 'tool_result') or tool_call_id is not null
  )
);

create unique index session_messages_by_key
on pgagent.session_messages (thread_id, idempotency_key)
where idempotency_key is not null;
-- The call that a result answers; models use an id again in a later turn.
create index session_messages_calls on pgagent.session_messages (thread_id, tool_call_id)
where role = 'tool_call';

comment on table pgagent.session_messages is
'The conversation as the model sees it. Append only; numbered densely per thread in commit order.';
comment on column pgagent.session_messages.thread_id is 'The thread.';
comment on column pgagent.session_messages.seq is 'Position in the thread, from 1, without gaps.';
comment on column pgagent.session_messages.role is
'system, user, assistant, tool_call or tool_result.';
comment on column pgagent.session_messages.content is 'The message as JSON: a string, or blocks.';
comment on column pgagent.session_messages.context is
'What was retrieved for this turn; not sent again.';
comment on column pgagent.session_messages.tool_call_id is
'The model''s id of a tool_call, and of the call that a tool_result answers.';
comment on column pgagent.session_messages.turn is 'The caller''s logical turn.';
comment on column pgagent.session_messages.idempotency_key is
'Unique in the thread: an append with the same key and payload returns the first row.';
comment on column pgagent.session_messages.fingerprint is
'sha256 of the payload stored with the key.';
comment on column pgagent.session_messages.token_count is 'Tokens, as the model counts them.';
comment on column pgagent.session_messages.job_id is
'The run that wrote it; null for people and plain runs.';
comment on column pgagent.session_messages.retracted_at is
'When a rollback took it back; it keeps its number.';
comment on column pgagent.session_messages.created_at is 'When it was written.';

create table pgagent.session_events (
  thread_id text collate "C" not null,
  seq bigint not null,
  kind text collate "C" not null,
  data jsonb,
  job_id uuid,
  attempt integer,
  trace_id text collate "C",
  rolled_back_at timestamptz,
  created_at timestamptz not null default pgagent._now(),
  constraint session_events_pkey primary key (thread_id, seq),
  constraint session_events_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade
);

comment on table pgagent.session_events is
'What happened, as an operator sees it. Append only; numbered densely per thread in commit order.';
comment on column pgagent.session_events.thread_id is 'The thread.';
comment on column pgagent.session_events.seq is 'Position in the thread, from 1, without gaps.';
comment on column pgagent.session_events.kind is 'What happened: job_claimed, step_started, ...';
comment on column pgagent.session_events.data is 'Details, by kind.';
comment on column pgagent.session_events.job_id is 'The run it belongs to.';
comment on column pgagent.session_events.attempt is 'The attempt of that run.';
comment on column pgagent.session_events.trace_id is 'The trace it belongs to.';
comment on column pgagent.session_events.rolled_back_at is
'When the work of its run was taken back; the event stays.';
comment on column pgagent.session_events.created_at is 'When it happened.';

create table pgagent.usage_records (
  thread_id text collate "C" not null,
  usage_key text collate "C" not null,
  model text collate "C",
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost numeric,
  data jsonb,
  fingerprint bytea not null,
  job_id uuid,
  rolled_back_at timestamptz,
  created_at timestamptz not null default pgagent._now(),
  constraint usage_records_pkey primary key (thread_id, usage_key),
  constraint usage_records_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint usage_records_tokens_are_counts check (input_tokens >= 0 and output_tokens >= 0),
  constraint usage_records_cost_is_not_negative check (cost >= 0)
);

comment on table pgagent.usage_records is
'Tokens and money, one row a key: a retry does not bill twice.';
comment on column pgagent.usage_records.thread_id is 'The thread.';
comment on column pgagent.usage_records.usage_key is 'What was billed, unique in the thread.';
comment on column pgagent.usage_records.model is 'The model that was used.';
comment on column pgagent.usage_records.input_tokens is 'Tokens sent.';
comment on column pgagent.usage_records.output_tokens is 'Tokens received.';
comment on column pgagent.usage_records.cost is 'Price, in the unit the caller uses throughout.';
comment on column pgagent.usage_records.data is 'Anything else the provider reports.';
comment on column pgagent.usage_records.fingerprint is 'sha256 of the figures stored with the key.';
comment on column pgagent.usage_records.job_id is 'The run that used it.';
comment on column pgagent.usage_records.rolled_back_at is
'When the work of its run was taken back; the bill stays.';
comment on column pgagent.usage_records.created_at is 'When it was recorded.';
