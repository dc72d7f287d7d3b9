-- Appends a batch of messages in order, all or none of the new ones.
--
-- thread_id:      the thread.
-- messages:       JSON array of at most 10,000 objects with the arguments of append_message: role,
--                 content and, as wanted, turn, idempotency_key, tool_call_id, context,
--                 token_count.
-- fencing_token:  the token of the run that writes; a batch of user messages alone is not fenced.
-- Returns:        a row an element, in order: its position in the batch from 1, its number in the
--                 thread, and whether this call appended it. A known key does not keep the rest
--                 from being stored.
-- Locks:          the session.
-- Raises:         as append_message; the element is named, counted from 0.
-- Safe to repeat: where the elements have a turn or a key.
create function pgagent.append_messages(
  thread_id text, messages jsonb, fencing_token bigint default null
)
returns table (ordinal bigint, seq bigint, appended boolean)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  m record;
  s pgagent.agent_sessions;
  v_job_id uuid;
begin
  perform pgagent._check_batch('messages', messages);
  for m in
    select format('messages[%s].', e.ordinal - 1) as label, e.*
    from pgagent._message_elements(messages) as e
  loop
    perform pgagent._check_count(m.label || 'token_count', m.token_count);
    perform pgagent._check_message(
      m.label, m.role, m.content, m.turn, m.idempotency_key, m.tool_call_id, m.context,
      m.token_count::bigint
    );
  end loop;

  s := pgagent._enter(
    append_messages.thread_id, append_messages.fencing_token,
    fenced => jsonb_path_exists(messages, '$[*] ? (@.role != "user")')
  );
  v_job_id := case when s.owner_token = fencing_token then s.active_job_id end;

  select b.ordinal, b.key into m
  from pgagent._message_batch(append_messages.thread_id, messages) as b
  where b.key is not null and b.fingerprint <> b.held_fingerprint
  order by b.ordinal
  limit 1;
  if found then
    perform pgagent._raise(
      'PA004', 'the idempotency key was used before with another message',
      format('element: messages[%s], key: %s', m.ordinal - 1, m.key),
      'Take a new key for a new message. Nothing was stored.'
    );
  end if;

  select format('messages[%s].', e.ordinal - 1) as label, e.tool_call_id into m
  from (
    select
      x.*,
      bool_or(x.role = 'tool_call') over (
        partition by x.tool_call_id order by x.ordinal
      ) as is_called
    from pgagent._message_elements(messages) as x
  ) as e
  where e.role = 'tool_result'
    and not e.is_called
    and not pgagent._has_tool_call(append_messages.thread_id, e.tool_call_id)
  order by e.ordinal
  limit 1;
  if found then
    perform pgagent._raise_no_tool_call(m.label, append_messages.thread_id, m.tool_call_id);
  end if;

  return query
  with numbered as (
    select
      b.*,
      b.known_seq is null and b.holder = b.ordinal as is_new,
      s.last_message_seq + count(*) filter (where b.known_seq is null and b.holder = b.ordinal)
        over (order by b.ordinal) as new_seq
    from pgagent._message_batch(append_messages.thread_id, messages) as b
  ),
  stored as (
    insert into pgagent.session_messages (
      thread_id, seq, role, content, context, tool_call_id, turn, idempotency_key, fingerprint,
      token_count, job_id
    )
    select
      append_messages.thread_id, n.new_seq, n.role, n.content, n.context, n.tool_call_id, n.turn,
      n.key, case when n.key is not null then n.fingerprint end, n.token_count, v_job_id
    from numbered as n
    where n.is_new
    returning 1
  ),
  counted as (
    update pgagent.agent_sessions as a
    set last_message_seq = a.last_message_seq + (select count(*) from stored)
    where a.thread_id = append_messages.thread_id
  )
  select n.ordinal, coalesce(n.known_seq, h.new_seq), n.is_new
  from numbered as n
  join numbered as h on h.ordinal = n.holder
  order by n.ordinal;
end
$$;

comment on function pgagent.append_messages(text, jsonb, bigint) is
'Appends a batch of messages in order; a known key is answered, the rest is stored.';
