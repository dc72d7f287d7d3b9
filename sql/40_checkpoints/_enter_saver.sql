-- Admits a write of a checkpoint saver, or says why not. Savers differ from other writers in two
-- ways: without a token they make the thread by themselves, and they tell which token they saw when
-- they last read it.
--
-- thread_id, fencing_token: as for _enter.
-- seen_token: the fencing token of the thread when the run read its state; null when it never did.
--             A plain run that began before somebody else owned the thread is as stale as any
--             other. On a tombstone, a run that saw the tombstone began after the deletion, and its
--             write begins the thread anew; any other is late.
-- Locks:      the session.
-- Raises:     as _enter; PA002 for a token that was seen and is no longer the thread's.
create function pgagent._enter_saver(thread_id text, fencing_token bigint, seen_token bigint)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_service boolean := pgagent._is_service();
  v_tenant text := pgagent._tenant();
  s pgagent.agent_sessions;
begin
  if fencing_token is null then
    if v_service or v_tenant is not null then
      insert into pgagent.agent_sessions (thread_id, user_id)
      values (_enter_saver.thread_id, v_tenant)
      on conflict on constraint agent_sessions_pkey do nothing;
      if found then
        return;
      end if;
    end if;
    update pgagent.agent_sessions as a
    set status = 'IDLE', deleted_at = null
    where a.thread_id = _enter_saver.thread_id
      and a.status = 'DELETED'
      and a.fencing_token = seen_token
      and (v_service or a.user_id = v_tenant);
  end if;

  s := pgagent._enter(_enter_saver.thread_id, fencing_token);
  if fencing_token is null and s.fencing_token <> seen_token then
    perform pgagent._raise_stale(s.thread_id, seen_token, s.fencing_token);
  end if;
end
$$;

comment on function pgagent._enter_saver(text, bigint, bigint) is
'Makes or locks a session for a saver''s write: checks caller, tombstone and fence.';
