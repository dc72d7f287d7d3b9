-- How checkpoints are deleted: by saying which are kept.

-- Deletes the checkpoints of a thread that do not live when some are kept, their writes, and the
-- values that nothing names then; the head is the newest that is left.
--
-- Returns: how many checkpoints were deleted.
-- Locks:   nothing; the caller holds the session.
create function pgagent._keep_checkpoints(thread_id text, namespaces text[], numbers bigint[])
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
-- As for sweep_orphans.
set jit = off
as $$
#variable_conflict use_column
declare
  v_count bigint;
begin
  with live as materialized (
    select l.seq
    from pgagent._live_checkpoints(_keep_checkpoints.thread_id, namespaces, numbers) as l
  ),

  gone as (
    delete from pgagent.checkpoints as c
    where c.thread_id = _keep_checkpoints.thread_id
      and not exists (select from live as l where l.seq = c.seq)
    returning c.checkpoint_ns, c.checkpoint_id
  ),

  gone_writes as (
    delete from pgagent.checkpoint_writes as w
    using gone as g
    where w.thread_id = _keep_checkpoints.thread_id
      and w.checkpoint_ns = g.checkpoint_ns
      and w.checkpoint_id = g.checkpoint_id
  )

  select count(*) into v_count from gone;
  if v_count > 0 then
    perform from pgagent._delete_values(_keep_checkpoints.thread_id, 'infinity');
    update pgagent.agent_sessions as s
    set head_checkpoint_id = pgagent._newest(_keep_checkpoints.thread_id, '')
    where s.thread_id = _keep_checkpoints.thread_id;
  end if;
  return v_count;
end
$$;

comment on function pgagent._keep_checkpoints(text, text[], bigint[]) is
'Deletes the checkpoints of a thread that do not live when some are kept; returns how many.';
