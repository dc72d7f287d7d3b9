-- Deletes old checkpoints of a thread, with their writes and the values that nothing needs then.
--
-- thread_id:  the thread.
-- keep_last:  so many of the newest checkpoints of each namespace stay.
-- older_than: only what was stored longer ago goes; null: whatever its age.
-- Kept as well: what kept checkpoints are rebuilt from. The namespace of a subgraph call (its name
-- has a task id) goes as a whole once the root checkpoint that it ran under goes, or one checkpoint
-- a call would stay for ever.
-- Returns: how many checkpoints were deleted.
-- Locks:   the session, as any write: a run goes on from its head, which stays.
-- Raises:  PA008 bad arguments; PA003, PA006, PA011 the thread.
-- Safe to repeat: yes.
create function pgagent.prune_history(
  thread_id text, keep_last integer default 1, older_than interval default null
)
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
begin
  perform pgagent._check_name('thread_id', prune_history.thread_id, 'thread_id');
  if keep_last is null or keep_last < 1 then
    perform pgagent._raise(
      'PA008', 'keep_last must be at least 1', format('keep_last: %s', keep_last),
      'To delete all of a thread, call delete_session.'
    );
  end if;
  if older_than is not null then
    perform pgagent._check_interval('older_than', older_than);
  end if;
  s := pgagent._hold(prune_history.thread_id);
  return pgagent._prune(s.thread_id, keep_last, older_than);
end
$$;

comment on function pgagent.prune_history(text, integer, interval) is
'Deletes old checkpoints of a thread and the values that nothing needs then; returns how many.';

-- The same, of a session that the caller holds.
create function pgagent._prune(thread_id text, keep_last integer, older_than interval)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_namespaces text[];
  v_numbers bigint[];
begin
  with judged as materialized (
    select
      c.checkpoint_ns, c.seq,
      (
        row_number() over (partition by c.checkpoint_ns order by c.seq desc) <= keep_last
        or c.created_at > pgagent._now() - older_than
      ) is true as stays
    from pgagent.checkpoints as c
    where c.thread_id = _prune.thread_id
  ),

  -- Numbers and times grow together: the roots that stay are all those from the oldest of them on.
  past as materialized (
    select n.checkpoint_ns
    from pgagent._namespaces(
      _prune.thread_id,
      (select min(j.seq) from judged as j where j.checkpoint_ns = '' and j.stays)
    ) as n
    where n.is_past
  )

  select array_agg(j.checkpoint_ns), array_agg(j.seq) into v_namespaces, v_numbers
  from judged as j
  where j.stays
    and not exists (select from past as n where n.checkpoint_ns = j.checkpoint_ns);
  return pgagent._keep_checkpoints(_prune.thread_id, v_namespaces, v_numbers);
end
$$;

comment on function pgagent._prune(text, integer, interval) is
'Deletes old checkpoints of a session that the caller holds; returns how many.';
