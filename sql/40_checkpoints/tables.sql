-- Checkpoints: what a graph needs to go on. A checkpoint names a version of each channel; a version
-- is one blob, or runs over the channel's log of items, so that a list that grows is stored once.

create table pgagent.checkpoints (
  thread_id text collate "C" not null,
  checkpoint_ns text collate "C" not null,
  checkpoint_id text collate "C" not null,
  seq bigint not null,
  parent_checkpoint_id text collate "C",
  checkpoint jsonb not null,
  metadata jsonb not null,
  inline_type text collate "C",
  inline_values bytea,
  inline_channels text[] collate "C",
  job_id uuid,
  run_id text collate "C",
  created_at timestamptz not null,
  constraint checkpoints_pkey primary key (thread_id, checkpoint_ns, checkpoint_id),
  -- Latest and list: the server's order, not the ids that clients make.
  constraint checkpoints_seq_is_unique unique (thread_id, checkpoint_ns, seq),
  constraint checkpoints_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint checkpoints_inline_values_have_a_type check (
    num_nulls(inline_type, inline_values, inline_channels) in (0, 3)
  )
);

comment on table pgagent.checkpoints is 'One row a super-step and namespace.';
comment on column pgagent.checkpoints.thread_id is 'The thread.';
comment on column pgagent.checkpoints.checkpoint_ns is
'Namespace: empty for the graph itself, a path of tasks for a subgraph.';
comment on column pgagent.checkpoints.checkpoint_id is 'Made by the client.';
comment on column pgagent.checkpoints.seq is
'Order in which checkpoints of the thread were stored, over all namespaces.';
comment on column pgagent.checkpoints.parent_checkpoint_id is 'The checkpoint it continues.';
comment on column pgagent.checkpoints.checkpoint is
'The checkpoint without its channel values: versions, versions seen, time stamp.';
comment on column pgagent.checkpoints.metadata is 'source, step, parents and what the caller adds.';
comment on column pgagent.checkpoints.inline_type is 'Serialiser type of inline_values.';
comment on column pgagent.checkpoints.inline_values is
'Small scalar channel values of this checkpoint, serialised as one mapping.';
comment on column pgagent.checkpoints.inline_channels is 'Names of the channels in inline_values.';
comment on column pgagent.checkpoints.job_id is 'The run that stored it, from its fencing token.';
comment on column pgagent.checkpoints.run_id is 'The run_id of its metadata, for delete by run.';
comment on column pgagent.checkpoints.created_at is
'When it was stored; never falls within a thread.';

-- For deletion by run.
create index checkpoints_run_id_idx on pgagent.checkpoints (run_id) where run_id is not null;
-- Which channels of a namespace are rebuilt from writes; empty without such channels.
create index checkpoints_delta_idx on pgagent.checkpoints (thread_id, checkpoint_ns, seq)
where metadata ? 'counters_since_delta_snapshot';

create table pgagent.checkpoint_blobs (
  thread_id text collate "C" not null,
  checkpoint_ns text collate "C" not null,
  channel text collate "C" not null,
  version text collate "C" not null,
  type text collate "C" not null,
  blob bytea,
  runs int4range[],
  runs_spent integer not null default 0,
  saved bigint not null default 0,
  digest bytea,
  digest_format text collate "C",
  created_at timestamptz not null default pgagent._now(),
  constraint checkpoint_blobs_pkey primary key (thread_id, checkpoint_ns, channel, version),
  constraint checkpoint_blobs_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade,
  constraint checkpoint_blobs_is_a_blob_or_runs check (num_nonnulls(blob, runs) = 1),
  constraint checkpoint_blobs_runs_are_of_a_list_or_a_dict check (
    runs is null or type in ('list', 'dict')
  ),
  constraint checkpoint_blobs_digest_has_a_format check (
    (digest is null) = (digest_format is null)
  )
);

comment on table pgagent.checkpoint_blobs is 'One row a version of a channel.';
comment on column pgagent.checkpoint_blobs.thread_id is 'The thread.';
comment on column pgagent.checkpoint_blobs.checkpoint_ns is 'The namespace.';
comment on column pgagent.checkpoint_blobs.channel is 'The channel.';
comment on column pgagent.checkpoint_blobs.version is 'The version, as checkpoints name it.';
comment on column pgagent.checkpoint_blobs.type is
'Serialiser type of the value; list or dict when it is stored as items.';
comment on column pgagent.checkpoint_blobs.blob is 'The value, when it is stored whole.';
comment on column pgagent.checkpoint_blobs.runs is
'The value, when it is stored as items: ranges of checkpoint_items, in order.';
comment on column pgagent.checkpoint_blobs.runs_spent is
'Bytes that this version and those it grew from spent on runs beyond one each. When they exceed '
'the value''s own, its items are copied to consecutive numbers.';
comment on column pgagent.checkpoint_blobs.saved is
'Bytes that items would have saved since the value began, or was last items; never below 0.';
comment on column pgagent.checkpoint_blobs.digest is
'Of the value, made by the client: a repeat with another one is refused.';
comment on column pgagent.checkpoint_blobs.digest_format is 'How the digest was made.';
comment on column pgagent.checkpoint_blobs.created_at is 'When it was stored.';

create table pgagent.checkpoint_items (
  thread_id text collate "C" not null,
  checkpoint_ns text collate "C" not null,
  channel text collate "C" not null,
  seq integer not null,
  type text collate "C" not null,
  blob bytea not null,
  created_at timestamptz not null default pgagent._now(),
  constraint checkpoint_items_pkey primary key (thread_id, checkpoint_ns, channel, seq),
  constraint checkpoint_items_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade
);

comment on table pgagent.checkpoint_items is 'The item log of list channels. Append only.';
comment on column pgagent.checkpoint_items.thread_id is 'The thread.';
comment on column pgagent.checkpoint_items.checkpoint_ns is 'The namespace.';
comment on column pgagent.checkpoint_items.channel is 'The channel.';
comment on column pgagent.checkpoint_items.seq is 'Position in the log of the channel.';
comment on column pgagent.checkpoint_items.type is 'Serialiser type of the item.';
comment on column pgagent.checkpoint_items.blob is 'The item.';
comment on column pgagent.checkpoint_items.created_at is 'When it was stored.';

create table pgagent.checkpoint_writes (
  thread_id text collate "C" not null,
  checkpoint_ns text collate "C" not null,
  checkpoint_id text collate "C" not null,
  task_id text collate "C" not null,
  idx integer not null,
  channel text collate "C" not null,
  type text collate "C" not null,
  blob bytea not null,
  task_path text collate "C" not null default '',
  job_id uuid,
  created_at timestamptz not null default pgagent._now(),
  constraint checkpoint_writes_pkey primary key (
    thread_id, checkpoint_ns, checkpoint_id, task_id, idx
  ),
  -- None to checkpoints: a task's writes may be stored before the checkpoint they belong to.
  constraint checkpoint_writes_thread_id_fkey foreign key (thread_id)
  references pgagent.agent_sessions (thread_id) on delete cascade
);

comment on table pgagent.checkpoint_writes is
'What finished tasks wrote before the next checkpoint: with these stored, the task does not run '
'again.';
comment on column pgagent.checkpoint_writes.thread_id is 'The thread.';
comment on column pgagent.checkpoint_writes.checkpoint_ns is 'The namespace.';
comment on column pgagent.checkpoint_writes.checkpoint_id is 'The checkpoint the task ran from.';
comment on column pgagent.checkpoint_writes.task_id is 'The task.';
comment on column pgagent.checkpoint_writes.idx is
'Position among the task''s writes; negative for errors, interrupts and the like, which replace.';
comment on column pgagent.checkpoint_writes.channel is 'The channel written to.';
comment on column pgagent.checkpoint_writes.type is 'Serialiser type of the value.';
comment on column pgagent.checkpoint_writes.blob is 'The value.';
comment on column pgagent.checkpoint_writes.task_path is
'Path of the task; writes apply in its order.';
comment on column pgagent.checkpoint_writes.job_id is
'The run that stored it, from its fencing token.';
comment on column pgagent.checkpoint_writes.created_at is 'When it was stored.';
