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
  with ranked as (
    select
      c.checkpoint_ns, c.checkpoint_id, c.seq, c.metadata, c.created_at,
      row_number() over (partition by c.checkpoint_ns order by c.seq desc) as place
    from pgagent.checkpoints as c
    where c.thread_id = _prune.thread_id
  ),

  judged as materialized (
    select r.*, r.place <= keep_last or r.created_at > pgagent._now() - older_than as stays
    from ranked as r
  )

  select array_agg(r.checkpoint_ns), array_agg(r.seq) into v_namespaces, v_numbers
  from judged as r
  where r.stays is true
    and not exists (
      select from judged as head
      join judged as root
        on root.checkpoint_ns = ''
          and root.checkpoint_id = head.metadata -> 'parents' ->> ''
      where head.checkpoint_ns = r.checkpoint_ns
        and head.place = 1
        and r.checkpoint_ns like '%:%'
        and root.stays is not true
    );
  return pgagent._keep_checkpoints(_prune.thread_id, v_namespaces, v_numbers);
end
$$;

comment on function pgagent._prune(text, integer, interval) is
'Deletes old checkpoints of a session that the caller holds; returns how many.';
