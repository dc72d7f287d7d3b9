-- The conversation as it goes to the model: the body of context_window.
--
-- as_of: a message's number, for the context as it was when that message was the last; or null.
create function pgagent._context(thread_id text, as_of bigint)
returns table (
  seq bigint, role text, content jsonb, tool_call_id text, token_count bigint, context jsonb
)
language sql
stable
begin atomic
  with newest as materialized (
    -- context_summaries_pkey, read backwards
    select
      s.covers_through_seq,
      s.summary
    from pgagent.context_summaries as s
    where
      s.thread_id = _context.thread_id
      and s.recorded_at_seq <= coalesce(as_of, s.recorded_at_seq)
    order by s.covers_through_seq desc
    limit 1
  ),

  shown as (
    select
      null::bigint as seq,
      'system' collate "C" as role,
      n.summary as content,
      null::text as tool_call_id,
      null::bigint as token_count,
      null::jsonb as context
    from newest as n
    union all
    -- session_messages_pkey
    select
      m.seq,
      m.role,
      m.content,
      m.tool_call_id,
      m.token_count,
      m.context
    from pgagent.session_messages as m
    where
      m.thread_id = _context.thread_id
      and m.seq > coalesce((select n.covers_through_seq from newest as n), 0)
      and m.seq <= coalesce(as_of, m.seq)
      and m.retracted_at is null
  )

  select
    c.seq,
    c.role,
    c.content,
    c.tool_call_id,
    c.token_count,
    c.context
  from shown as c
  order by c.seq nulls first;
end;

comment on function pgagent._context(text, bigint) is
'The conversation as it goes to the model, with what was retrieved for it.';
