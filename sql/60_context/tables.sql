-- Summaries: what stands for the beginning of a conversation when it no longer fits the model.

create table pgagent.context_summaries (
  thread_id text collate "C" not null,
  covers_through_seq bigint not null,
  summary jsonb not null,
  model text collate "C",
  tokens_before bigint,
  tokens_after bigint,
  recorded_at_seq bigint not null,
  job_id uuid,
  created_at timestamptz not null default pgagent._now(),
  constraint context_summaries_pkey primary key (thread_id, covers_through_seq),
  constraint context_summaries_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint context_summaries_covers_what_is_there check (
    covers_through_seq between 1 and recorded_at_seq
  ),
  constraint context_summaries_tokens_are_counts check (tokens_before >= 0 and tokens_after >= 0)
);

comment on table pgagent.context_summaries is
'What stands for a thread''s first messages in the model''s context; the messages stay.';
comment on column pgagent.context_summaries.thread_id is 'The thread.';
comment on column pgagent.context_summaries.covers_through_seq is
'The last message it stands for; it grows from summary to summary.';
comment on column pgagent.context_summaries.summary is 'What it says, as content of a message.';
comment on column pgagent.context_summaries.model is 'The model that wrote it.';
comment on column pgagent.context_summaries.tokens_before is
'Tokens of the context before it, as the caller counted them.';
comment on column pgagent.context_summaries.tokens_after is 'And with it.';
comment on column pgagent.context_summaries.recorded_at_seq is
'The last message of the thread when it was recorded: earlier contexts did not have it.';
comment on column pgagent.context_summaries.job_id is 'The run that recorded it.';
comment on column pgagent.context_summaries.created_at is 'When it was recorded.';
