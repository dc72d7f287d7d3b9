-- What append_message and append_messages share: checks, keys and fingerprints of one message.

-- Raises PA008 or PA009 for a message that cannot be stored.
--
-- label: '' or where the message stands in a batch: 'messages[3].'.
create function pgagent._check_message(
  label text, role text, content jsonb, turn text, idempotency_key text, tool_call_id text,
  context jsonb, token_count bigint
)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if role is null or role not in ('system', 'user', 'assistant', 'tool_call', 'tool_result') then
    perform pgagent._raise(
      'PA008', label || 'role must be system, user, assistant, tool_call or tool_result',
      format('role: %s', coalesce(left(role, 100), 'null'))
    );
  end if;
  if content is null then
    perform pgagent._raise(
      'PA008', label || 'content is required', '', 'Pass JSON: ''"text"'' or blocks.'
    );
  end if;
  perform pgagent._check_size(label || 'content', content, 'message');
  perform pgagent._check_size(label || 'context', context, 'message');
  if turn is not null then
    perform pgagent._check_name(label || 'turn', turn);
  end if;
  if idempotency_key is not null then
    perform pgagent._check_name(label || 'idempotency_key', idempotency_key);
  end if;
  if tool_call_id is not null then
    perform pgagent._check_name(label || 'tool_call_id', tool_call_id);
  elsif role in ('tool_call', 'tool_result') then
    perform pgagent._raise(
      'PA008', format('%stool_call_id is required for a %s', label, role), '',
      'It is the id that the model gave the call.'
    );
  end if;
  if token_count < 0 then
    perform pgagent._raise(
      'PA008', label || 'token_count must not be negative', format('token_count: %s', token_count)
    );
  end if;
end
$$;

comment on function pgagent._check_message(text, text, jsonb, text, text, text, jsonb, bigint) is
'Raises PA008 or PA009 when a message cannot be stored.';

-- Whether a call is stored in the thread: what a tool_result answers must be.
create function pgagent._has_tool_call(thread_id text, tool_call_id text)
returns boolean
language sql
stable
begin atomic
  -- session_messages_calls
  select
    tool_call_id in (
      select m.tool_call_id
      from pgagent.session_messages as m
      where
        m.thread_id = _has_tool_call.thread_id
        and m.tool_call_id = _has_tool_call.tool_call_id
        and m.role = 'tool_call'
    );
end;

comment on function pgagent._has_tool_call(text, text) is
'Whether a thread has a message of the role tool_call with this id.';

create function pgagent._raise_no_tool_call(label text, thread_id text, tool_call_id text)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._raise(
    'PA008', label || 'tool_call_id names no tool_call of the thread',
    format('thread_id: %s, tool_call_id: %s', thread_id, tool_call_id),
    'Append the message of the call first, with the role tool_call and this id.'
  );
end
$$;

comment on function pgagent._raise_no_tool_call(text, text, text) is
'Raises PA008 for a tool_result that answers no call of its thread.';

-- The key a message is stored under: the caller's, or derived from its turn, or none.
create function pgagent._message_key(
  thread_id text, role text, content jsonb, turn text, tool_call_id text, idempotency_key text
)
returns text
language sql
immutable
parallel safe
begin atomic
  select
    case
      when idempotency_key is not null then idempotency_key
      when turn is not null
        then pgagent.idempotency_key(
          'message',
          variadic array_remove(array[thread_id, role, content::text, turn, tool_call_id], null)
        )
    end;
end;

comment on function pgagent._message_key(text, text, jsonb, text, text, text) is
'The idempotency key of a message: the caller''s, else derived from its turn, else null.';

create function pgagent._message_fingerprint(
  role text, content jsonb, turn text, tool_call_id text, context jsonb
)
returns bytea
language sql
stable
parallel safe
begin atomic
  select pgagent._fingerprint(jsonb_build_array(role, content, turn, tool_call_id, context));
end;

comment on function pgagent._message_fingerprint(text, jsonb, text, text, jsonb) is
'The fingerprint of what a message says.';

-- A batch, taken apart. A content of null is a content: an assistant that only calls tools says so.
create function pgagent._message_elements(messages jsonb)
returns table (
  ordinal bigint, role text, content jsonb, turn text, idempotency_key text, tool_call_id text,
  context jsonb, token_count jsonb
)
language sql
immutable
parallel safe
begin atomic
  select
    e.ordinal, x.role, e.element -> 'content', x.turn, x.idempotency_key, x.tool_call_id, x.context,
    x.token_count
  from jsonb_array_elements(messages) with ordinality as e (element, ordinal)
  cross join lateral jsonb_to_record(e.element) as x (
    role text, turn text, idempotency_key text, tool_call_id text, context jsonb, token_count jsonb
  );
end;

comment on function pgagent._message_elements(jsonb) is 'The elements of a batch of messages.';

-- A batch with its keys.
--
-- known_seq:        the row of the thread that holds the element's key already; null without one.
-- holder:           the first element of the batch with the same key; without a key the element
--                   itself.
-- held_fingerprint: that of what is stored under the key, or will be: another one is a conflict.
create function pgagent._message_batch(thread_id text, messages jsonb)
returns table (
  ordinal bigint, role text, content jsonb, turn text, tool_call_id text, context jsonb,
  token_count bigint, key text, fingerprint bytea, known_seq bigint, holder bigint,
  held_fingerprint bytea
)
language sql
stable
begin atomic
  select
    g.ordinal, g.role, g.content, g.turn, g.tool_call_id, g.context, g.token_count::bigint, g.key,
    g.fingerprint,
    known.seq,
    first_value(g.ordinal) over same_key,
    coalesce(known.fingerprint, first_value(g.fingerprint) over same_key)
  from (
    select
      e.*,
      pgagent._message_key(
        thread_id, e.role, e.content, e.turn, e.tool_call_id, e.idempotency_key
      ) as key,
      pgagent._message_fingerprint(
        e.role, e.content, e.turn, e.tool_call_id, e.context
      ) as fingerprint
    from pgagent._message_elements(messages) as e
  ) as g
  left join pgagent.session_messages as known
    on known.thread_id = _message_batch.thread_id and known.idempotency_key = g.key
  window same_key as (
    partition by g.key, case when g.key is null then g.ordinal end order by g.ordinal
  );
end;

comment on function pgagent._message_batch(text, jsonb) is
'The elements of a batch of messages with their keys and the rows that hold those keys.';
