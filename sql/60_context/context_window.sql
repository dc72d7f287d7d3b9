-- The conversation as it goes to the model: the newest summary as a system message, and every
-- message after what it covers.
--
-- thread_id:     the thread.
-- as_of:         a message's number: the context as it was when that message was the last.
-- with_context:  whether to give what was retrieved for each message.
-- Returns:       a row a message, in order: its number (null for the summary), role, content,
--                tool_call_id, token_count, and context when asked for. A tool call is never parted
--                from its result; retracted messages are left out.
-- Reads under row security; locks nothing.
create function pgagent.context_window(
  thread_id text, as_of bigint default null, with_context boolean default false
)
returns table (
  seq bigint, role text, content jsonb, tool_call_id text, token_count bigint, context jsonb
)
language sql
stable
begin atomic
  select
    c.seq,
    c.role,
    c.content,
    c.tool_call_id,
    c.token_count,
    case when with_context then c.context end
  from pgagent._context(thread_id, as_of) as c;
end;

comment on function pgagent.context_window(text, bigint, boolean) is
'The conversation as it goes to the model: a summary of the beginning, and the rest verbatim.';
