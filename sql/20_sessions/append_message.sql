-- Appends one message.
--
-- thread_id:       the thread; create_session, enqueue_job and start_run make it.
-- role:            system, user, assistant, tool_call or tool_result.
-- content:         the message as JSON (at most 8 MB): a string, or blocks.
-- fencing_token:   the token of the run that writes; user messages are never fenced.
-- turn:            the caller's logical turn, known before the call. With it and without a key, the
--                  key is derived from thread, role, content, turn and tool_call_id, if any.
-- idempotency_key: unique in the thread; the same key and payload again returns the first row.
-- tool_call_id:    the model's id of a tool_call, and of the call that a tool_result answers, which
--                  must be stored.
-- context:         what was retrieved for this turn (at most 8 MB).
-- token_count:     tokens, as the model counts them.
-- Returns:         the message's number, and whether this call appended it.
-- Locks:           the session.
-- Raises:          PA008, PA009 bad arguments; PA003, PA006, PA011 the thread; PA001, PA002 the
--                  fence; PA004 the key was used with another payload.
-- Safe to repeat:  with a turn or a key.
create function pgagent.append_message(
  thread_id text, role text, content jsonb, fencing_token bigint default null,
  turn text default null, idempotency_key text default null, tool_call_id text default null,
  context jsonb default null, token_count bigint default null
)
returns table (seq bigint, appended boolean)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_key text;
  v_fingerprint bytea;
  v_fenced boolean := append_message.role is distinct from 'user';
  v_service boolean := pgagent._is_service();
  v_tenant text := pgagent._tenant();
  v_first record;
  v_job_id uuid;
begin
  perform pgagent._check_message(
    '', append_message.role, append_message.content, append_message.turn,
    append_message.idempotency_key, append_message.tool_call_id, append_message.context,
    append_message.token_count
  );

  loop
    update pgagent.agent_sessions as a
    set
      last_message_seq = a.last_message_seq + 1,
      last_activity_at = greatest(a.last_activity_at, pgagent._now()),
      active_hour = date_bin('1 hour', greatest(a.last_activity_at, pgagent._now()), 'epoch')
    where a.thread_id = append_message.thread_id
      and a.status not in ('DELETED', 'ARCHIVED')
      and (not v_fenced or a.owner_token is not distinct from append_message.fencing_token)
      and (v_service or a.user_id = v_tenant)
    returning
      a.last_message_seq,
      case when a.owner_token = append_message.fencing_token then a.active_job_id end
    into append_message.seq, v_job_id;
    exit when found;
    -- Names the refusal, or holds the row that has just become free.
    perform pgagent._enter(append_message.thread_id, append_message.fencing_token, v_fenced);
  end loop;

  v_key := pgagent._message_key(
    append_message.thread_id, append_message.role, append_message.content, append_message.turn,
    append_message.tool_call_id, append_message.idempotency_key
  );
  if v_key is not null then
    v_fingerprint := pgagent._message_fingerprint(
      append_message.role, append_message.content, append_message.turn,
      append_message.tool_call_id, append_message.context
    );
    select m.seq, m.fingerprint into v_first
    from pgagent.session_messages as m
    where m.thread_id = append_message.thread_id and m.idempotency_key = v_key;
    if found then
      if v_first.fingerprint <> v_fingerprint then
        perform pgagent._raise(
          'PA004', 'the idempotency key was used before with another message',
          format('thread_id: %s, seq: %s, key: %s', append_message.thread_id, v_first.seq, v_key),
          'Take a new key for a new message.'
        );
      end if;
      -- The number is given back: the row has been locked since it was taken.
      update pgagent.agent_sessions as a
      set last_message_seq = a.last_message_seq - 1
      where a.thread_id = append_message.thread_id;
      return query select v_first.seq, false;
      return;
    end if;
  end if;

  if append_message.role = 'tool_result'
    and not pgagent._has_tool_call(append_message.thread_id, append_message.tool_call_id) then
    perform pgagent._raise_no_tool_call('', append_message.thread_id, append_message.tool_call_id);
  end if;
  insert into pgagent.session_messages (
    thread_id, seq, role, content, context, tool_call_id, turn, idempotency_key, fingerprint,
    token_count, job_id
  )
  values (
    append_message.thread_id, append_message.seq, append_message.role, append_message.content,
    append_message.context, append_message.tool_call_id, append_message.turn, v_key, v_fingerprint,
    append_message.token_count, v_job_id
  );
  appended := true;
  return next;
end
$$;

comment on function pgagent.append_message(
  text, text, jsonb, bigint, text, text, text, jsonb, bigint
) is
'Appends one message and returns its number; the same turn or key again returns the first row.';
