-- Makes the session row of a thread, or turns a tombstone back into a thread.
--
-- user_id: owner of a new thread; a tenant may only name itself.
-- Returns: true when the thread is new or began anew, false when it was there.
-- Locks:   the session.
-- Raises:  PA011 the thread belongs to somebody else, or would; PA006 archived.
create function pgagent._begin_session(thread_id text, user_id text)
returns boolean
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_service boolean := pgagent._is_service();
  v_tenant text := pgagent._tenant();
begin
  if not v_service and (_begin_session.user_id = v_tenant) is not true then
    perform pgagent._raise(
      'PA011', 'a tenant can only make threads of its own',
      format('user_id: %s, tenant: %s', _begin_session.user_id, v_tenant),
      'Set pgagent.user_id inside the transaction.'
    );
  end if;
  insert into pgagent.agent_sessions (thread_id, user_id)
  values (_begin_session.thread_id, _begin_session.user_id)
  on conflict on constraint agent_sessions_pkey do nothing;
  if found then
    return true;
  end if;

  update pgagent.agent_sessions as a
  set
    status = 'IDLE', deleted_at = null,
    last_activity_at = greatest(a.last_activity_at, pgagent._now()),
    active_hour = date_bin('1 hour', greatest(a.last_activity_at, pgagent._now()), 'epoch')
  where a.thread_id = _begin_session.thread_id
    and a.status = 'DELETED'
    and (v_service or a.user_id = v_tenant);
  if found then
    return true;
  end if;

  perform pgagent._enter(_begin_session.thread_id, null, fenced => false);
  return false;
end
$$;

comment on function pgagent._begin_session(text, text) is
'Makes a session row or revives a tombstone; says whether it did.';
