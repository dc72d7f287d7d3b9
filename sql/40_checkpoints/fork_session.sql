-- Begins a new thread at a checkpoint of another one, which stays as it is.
--
-- thread_id:     the source.
-- checkpoint_id: where to branch off, in the graph's own namespace; null: at its latest.
-- new_thread:    id of the new thread, which must not exist; null: one is made.
-- What is copied: the checkpoint, what it is rebuilt from, and what subgraphs that keep their state
-- remembered then. Ids, numbers and times stay; nothing is shared. Configuration and metadata of
-- the session go with it; jobs, messages, events and tool calls do not.
-- How the new thread goes on:
--   from a checkpoint that nothing continued (the latest, a pause): where it stood. What tasks of
--   its step have written goes with it: they do not run again, and open questions are still asked.
--   from one that was continued: its tasks run again, as when LangGraph is given an old checkpoint.
--   What they wrote the first time stays behind, and a checkpoint of source fork is put on top.
-- Returns: the new thread, its latest checkpoint, and how many were copied.
-- Locks:   the source; the new thread.
-- Raises:  PA008, PA009 bad arguments; PA003 no such source, or checkpoint; PA011 somebody else's;
--          PA006 the source was deleted or archived; PA004 the new thread exists.
-- Safe to repeat: with a name for the new thread; a second call raises PA004.
create function pgagent.fork_session(
  thread_id text, checkpoint_id text default null, new_thread text default null
)
returns table (thread text, id text, copied bigint)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
-- As for copy_thread.
set jit = off
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
  c pgagent.checkpoints;
  v_is_continued boolean;
  v_namespaces text[];
  v_numbers bigint[];
begin
  thread := coalesce(fork_session.new_thread, gen_random_uuid()::text);
  perform pgagent._check_name('thread_id', fork_session.thread_id, 'thread_id');
  perform pgagent._check_name('new_thread', thread, 'thread_id');
  s := pgagent._hold(fork_session.thread_id);
  c := pgagent._checkpoint(
    s.thread_id, '', coalesce(fork_session.checkpoint_id, s.head_checkpoint_id)
  );
  if c.thread_id is null then
    perform pgagent._raise(
      'PA003', 'no such checkpoint',
      format(
        'thread_id: %s, checkpoint_id: %s', s.thread_id,
        coalesce(left(fork_session.checkpoint_id, 100), 'none')
      ),
      'checkpoint_history and checkpoints_between list those that are stored.'
    );
  end if;
  v_is_continued := exists (
    select from pgagent.checkpoints as x
    where x.thread_id = c.thread_id
      and x.checkpoint_ns = ''
      and x.seq > c.seq
      and x.parent_checkpoint_id = c.checkpoint_id
  );

  insert into pgagent.agent_sessions (
    thread_id, user_id, last_checkpoint_seq, head_checkpoint_id, last_event_seq
  )
  values (thread, s.user_id, s.last_checkpoint_seq, c.checkpoint_id, 1)
  on conflict on constraint agent_sessions_pkey do nothing;
  if not found then
    perform pgagent._raise(
      'PA004', 'the new thread exists', format('new_thread: %s', thread),
      'Choose an id that no thread has had, or none.'
    );
  end if;
  insert into pgagent.session_data (thread_id, config, metadata)
  select thread, d.config, d.metadata
  from pgagent.session_data as d
  where d.thread_id = s.thread_id;

  select array_agg(h.checkpoint_ns), array_agg(h.seq) into v_namespaces, v_numbers
  from pgagent._heads_at(c, v_is_continued) as h;
  select array_agg(l.checkpoint_ns), array_agg(l.seq) into v_namespaces, v_numbers
  from pgagent._live_checkpoints(s.thread_id, v_namespaces, v_numbers) as l;
  copied := pgagent._copy_checkpoints(s.thread_id, thread, v_namespaces, v_numbers);
  id := c.checkpoint_id;
  if v_is_continued then
    delete from pgagent.checkpoint_writes as w
    where w.thread_id = fork_session.thread
      and w.checkpoint_ns = ''
      and w.checkpoint_id = c.checkpoint_id;
    -- One of an old format is rebuilt from its own parent alone.
    if not pgagent._needs_parent(c) then
      id := pgagent._put_fork(thread, c, s.last_checkpoint_seq + 1);
    end if;
  end if;
  perform pgagent._log_event(
    thread, 1, 'session_forked',
    jsonb_build_object('thread_id', s.thread_id, 'checkpoint_id', c.checkpoint_id)
  );
  return next;
end
$$;

comment on function pgagent.fork_session(text, text, text) is
'Begins a new thread at a checkpoint of another one, which stays as it is.';

-- The checkpoints that a graph goes on from at one of its own: that one, and of each other
-- namespace the newest that ran under an older one of the graph. While nothing has continued it,
-- what ran under itself counts too; namespaces of calls (their names have a task id) are of one
-- step alone.
create function pgagent._heads_at(c pgagent.checkpoints, is_continued boolean)
returns table (checkpoint_ns text, seq bigint)
language sql
stable
begin atomic
  with recursive namespaces as (
    select (c).checkpoint_ns
    union all
    select (
      select x.checkpoint_ns
      from pgagent.checkpoints as x
      where x.thread_id = (c).thread_id and x.checkpoint_ns > n.checkpoint_ns
      order by x.checkpoint_ns
      limit 1
    )
    from namespaces as n
    where n.checkpoint_ns is not null
  )

  select (c).checkpoint_ns, (c).seq
  union all
  select n.checkpoint_ns, h.seq
  from namespaces as n
  -- checkpoints_seq_is_unique, read backwards
  cross join
    lateral (
      select x.seq
      from pgagent.checkpoints as x
      left join pgagent.checkpoints as root
        on
          root.thread_id = x.thread_id
          and root.checkpoint_ns = ''
          and root.checkpoint_id = x.metadata -> 'parents' ->> ''
      where
        x.thread_id = (c).thread_id
        and x.checkpoint_ns = n.checkpoint_ns
        and case
          when x.checkpoint_ns like '%:%'
            then root.seq is not distinct from (c).seq and not is_continued
          when is_continued then coalesce(root.seq, x.seq) < (c).seq
          else coalesce(root.seq, x.seq) <= (c).seq
        end
      order by x.seq desc
      limit 1
    ) as h
  where n.checkpoint_ns <> '';
end;

comment on function pgagent._heads_at(pgagent.checkpoints, boolean) is
'The checkpoints, one a namespace, that a graph goes on from at one of its own.';

-- Puts a checkpoint of source fork on top of one that was copied, as LangGraph does when it goes on
-- from an old one: the same state under another id, so that no write of the first time fits. Its
-- run_id would make LangGraph take the next input for a repeat.
create function pgagent._put_fork(thread_id text, c pgagent.checkpoints, seq bigint)
returns text
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := greatest(pgagent._now(), c.created_at);
  v_id text := pgagent._new_checkpoint_id(c.checkpoint_id);
begin
  insert into pgagent.checkpoints (
    thread_id, checkpoint_ns, checkpoint_id, seq, parent_checkpoint_id, checkpoint, metadata,
    inline_type, inline_values, inline_channels, created_at
  )
  values (
    _put_fork.thread_id, '', v_id, _put_fork.seq, c.checkpoint_id,
    c.checkpoint || jsonb_build_object(
      'id', v_id,
      'ts', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')
    ),
    c.metadata - 'run_id' - 'writes' || jsonb_build_object(
      'source', 'fork', 'step', coalesce(pgagent._step_of(c.metadata), -1) + 1
    ),
    c.inline_type, c.inline_values, c.inline_channels, v_now
  );
  update pgagent.agent_sessions as a
  set last_checkpoint_seq = _put_fork.seq, head_checkpoint_id = v_id
  where a.thread_id = _put_fork.thread_id;
  return v_id;
end
$$;

comment on function pgagent._put_fork(text, pgagent.checkpoints, bigint) is
'Puts a checkpoint of source fork on top of one that was copied.';
