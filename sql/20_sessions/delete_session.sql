-- Deletes a thread and everything in it, and leaves a tombstone.
--
-- thread_id: the thread. A live run is ended: its token is stale from here on.
-- Returns:   true when this call deleted it, false when it was deleted before.
-- Locks:     the session; then the rows it deletes.
-- Raises:    PA008, PA009 bad thread_id; PA003 no such thread; PA011 somebody else's; PA006
--            archived.
-- Never fenced. Safe to repeat.
create function pgagent.delete_session(thread_id text)
returns boolean
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_service boolean := pgagent._is_service();
  v_tenant text := pgagent._tenant();
  v_table regclass;
begin
  perform pgagent._check_name('thread_id', delete_session.thread_id, 'thread_id');
  loop
    -- The tombstone keeps owner, token and counters, so that none of them is given out twice.
    update pgagent.agent_sessions as a
    set
      status = 'DELETED', deleted_at = pgagent._now(), completed_at = null,
      fencing_token = a.fencing_token + 1, owner_token = null, active_job_id = null,
      head_checkpoint_id = null, progress_step = null, expires_at = null, pinned = false
    where a.thread_id = delete_session.thread_id
      and a.status not in ('DELETED', 'ARCHIVED')
      and (v_service or a.user_id = v_tenant);
    exit when found;
    if exists (
      select from pgagent.agent_sessions as a
      where a.thread_id = delete_session.thread_id
        and a.status = 'DELETED'
        and (v_service or a.user_id = v_tenant)
    ) then
      return false;
    end if;
    -- Names the refusal, or holds the row that has just become a thread again.
    perform pgagent._enter(delete_session.thread_id, null, fenced => false);
  end loop;

  for v_table in select t.relation from pgagent._thread_tables() as t loop
    execute format('delete from %s where thread_id = $1', v_table) using delete_session.thread_id;
  end loop;
  return true;
end
$$;

comment on function pgagent.delete_session(text) is
'Deletes a thread with all that belongs to it; later writes of old runs are refused.';
