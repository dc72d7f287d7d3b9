-- What an agent said and did on a thread, as messages: what evaluations compare.
--
-- thread_id: the thread. Read from session_messages, retracted ones left out; a thread whose
--            conversation is in its checkpoints alone gives no rows.
-- Returns:   a row a message, in order: its number, its role (system, user, assistant or tool),
--            content, tool_calls, and tool_call_id of a result. A tool_call joins the assistant's
--            message before it, or begins one without content; tool_calls is a JSON array of
--            {id, name, args}, or null. The content of a tool_call is {"name": ..., "args": ...}.
-- Reads under row security; locks nothing.
create function pgagent.trajectory(thread_id text)
returns table (ordinal bigint, role text, content jsonb, tool_calls jsonb, tool_call_id text)
language sql
stable
begin atomic
  select
    row_number() over (order by min(g.seq)),
    case
      when min(g.role) = 'tool_result' then 'tool'
      when bool_or(g.role = 'tool_call') then 'assistant'
      else min(g.role)
    end,
    -- Of one row at most: calls have none of their own here.
    coalesce(
      (array_agg(g.content) filter (where g.role <> 'tool_call'))[1], 'null'::jsonb
    ),
    jsonb_agg(
      jsonb_build_object(
        'id', g.tool_call_id, 'name', g.content -> 'name', 'args', g.content -> 'args'
      ) order by g.seq
    ) filter (where g.role = 'tool_call'),
    (array_agg(g.tool_call_id) filter (where g.role = 'tool_result'))[1]
  from (
    -- Each message but a call begins one; so does a call after anything but assistant and call.
    select
      m.*,
      count(*) filter (
        where m.role <> 'tool_call' or m.before not in ('assistant', 'tool_call')
      ) over (order by m.seq) as message
    from (
      select
        x.*,
        lag(x.role, 1, 'none') over (order by x.seq) as before
      from pgagent.session_messages as x
      where x.thread_id = trajectory.thread_id and x.retracted_at is null
    ) as m
  ) as g
  group by g.message
  order by 1;
end;

comment on function pgagent.trajectory(text) is
'What an agent said and did on a thread, as messages with their tool calls.';
