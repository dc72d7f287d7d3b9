-- The story of a thread in one order: events, messages, tool calls, approvals and checkpoints.
--
-- after:    the cursor of the last row of the page before; null: from the beginning.
-- max_rows: at most so many (of 10,000).
-- kinds:    some of event, message, tool_call, approval, checkpoint; null: all of them.
-- Returns: kind; at: when it happened (a tool call: when it was first begun); name: the event's
--          kind, the message's role, the tool, the approval's status, or the checkpoint's source;
--          number: its place among its kind, none for tool calls and approvals; id: of one of
--          these or a checkpoint; job_id; data, by kind:
--            event       its data
--            message     content, and where there are any context, tool_call_id, turn, token_count,
--                        retracted_at
--            tool_call   args, status, attempts, step, and where there are any result, error,
--                        decision, ended_at
--            approval    question, allowed, and where there are any action, decided_by, decided_at,
--                        reason, edited_action, response, expires_at
--            checkpoint  step, nodes, parent_id; of the graph itself, not of its subgraphs
--          and cursor, for the next page.
-- Each kind comes in its own order, whatever the clock did, and by time among the others. The
-- cursor holds a place for each kind: nothing is told twice or left out when the thread goes on
-- meanwhile. Reads under row security; locks nothing. A page reads at most max_rows of each kind.
-- Raises: PA008 a bad cursor, page or kind; PA009 a bad page.
create function pgagent.session_timeline(
  thread_id text, after jsonb default null, max_rows integer default 100,
  kinds text[] default null
)
returns table (
  kind text, at timestamptz, name text, number bigint, id text, job_id uuid, data jsonb,
  cursor jsonb
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_after record;
begin
  perform pgagent._check_page('max_rows', max_rows);
  if kinds is not null and not kinds <@ '{event,message,tool_call,approval,checkpoint}'::text[] then
    perform pgagent._raise(
      'PA008', 'kinds must be some of event, message, tool_call, approval, checkpoint',
      format('kinds: %s', left(kinds::text, 100))
    );
  end if;
  v_after := pgagent._timeline_place(after);

  return query
  with story as (
    (
      -- session_events_pkey
      select
        'event' as kind, e.created_at, e.kind::text as name, e.seq as number, null::text as id,
        e.job_id, e.data
      from pgagent.session_events as e
      where e.thread_id = session_timeline.thread_id
        and e.seq > v_after.event
        and (kinds is null or 'event' = any(kinds))
      order by e.seq
      limit max_rows
    )
    union all
    (
      -- session_messages_pkey
      select
        'message', m.created_at, m.role::text, m.seq, null, m.job_id,
        jsonb_build_object('content', m.content) || jsonb_strip_nulls(
          jsonb_build_object(
            'tool_call_id', m.tool_call_id, 'turn', m.turn, 'token_count', m.token_count,
            'retracted_at', m.retracted_at
          )
        ) || case when m.context is null then '{}' else jsonb_build_object('context', m.context) end
      from pgagent.session_messages as m
      where m.thread_id = session_timeline.thread_id
        and m.seq > v_after.message
        and (kinds is null or 'message' = any(kinds))
      order by m.seq
      limit max_rows
    )
    union all
    (
      -- tool_calls_in_order
      select
        'tool_call', t.created_at, t.tool::text, null, t.call_id::text, t.job_id,
        jsonb_build_object('args', t.args, 'status', t.status, 'attempts', t.attempts)
        || case when t.result is null then '{}' else jsonb_build_object('result', t.result) end
        || case when t.error is null then '{}' else jsonb_build_object('error', t.error) end
        || jsonb_strip_nulls(
          jsonb_build_object('step', t.step, 'decision', t.decision, 'ended_at', t.ended_at)
        )
      from pgagent.tool_calls as t
      where t.thread_id = session_timeline.thread_id
        and t.call_id > v_after.tool_call
        and (kinds is null or 'tool_call' = any(kinds))
      order by t.call_id
      limit max_rows
    )
    union all
    (
      -- approvals_by_thread
      select
        'approval', p.created_at, p.status::text, null, p.approval_id::text, p.job_id,
        jsonb_build_object('question', p.question, 'allowed', p.allowed) || jsonb_strip_nulls(
          jsonb_build_object(
            'action', p.action, 'decided_by', p.decided_by, 'decided_at', p.decided_at,
            'reason', p.reason, 'edited_action', p.edited_action, 'response', p.response,
            'expires_at', p.expires_at
          )
        )
      from pgagent.approvals as p
      where p.thread_id = session_timeline.thread_id
        and p.approval_id > v_after.approval
        and (kinds is null or 'approval' = any(kinds))
      order by p.approval_id
      limit max_rows
    )
    union all
    (
      select
        'checkpoint', b.created_at, b.source, b.seq, b.id, b.job_id,
        jsonb_build_object('step', b.step, 'nodes', to_jsonb(b.nodes), 'parent_id', b.parent_id)
      from pgagent._between(
        case when kinds is null or 'checkpoint' = any(kinds) then session_timeline.thread_id end,
        '', null, null, nullif(v_after.checkpoint, 0), false, max_rows
      ) as b
    )
  ),

  -- A clock that was set back does not turn the order of a kind round.
  placed as (
    select
      s.*,
      max(s.created_at) over (
        partition by s.kind order by s.number, s.id rows unbounded preceding
      ) as place
    from story as s
  )

  select
    p.kind, p.created_at, p.name, p.number, p.id, p.job_id, p.data,
    jsonb_build_object(
      'event', coalesce(max(p.number) filter (where p.kind = 'event') over told, v_after.event),
      'message',
      coalesce(max(p.number) filter (where p.kind = 'message') over told, v_after.message),
      'tool_call',
      coalesce(max(p.id) filter (where p.kind = 'tool_call') over told, v_after.tool_call::text),
      'approval',
      coalesce(max(p.id) filter (where p.kind = 'approval') over told, v_after.approval::text),
      'checkpoint',
      coalesce(max(p.number) filter (where p.kind = 'checkpoint') over told, v_after.checkpoint)
    )
  from placed as p
  window told as (order by p.place, p.kind, p.number, p.id rows unbounded preceding)
  order by p.place, p.kind, p.number, p.id
  limit max_rows;
end
$$;

comment on function pgagent.session_timeline(text, jsonb, integer, text[]) is
'The story of a thread in one order: what happened, was said, called, asked and stored.';

-- The places that a cursor of session_timeline holds; those of the beginning without one.
create function pgagent._timeline_place(
  after jsonb, out event bigint, out message bigint, out tool_call uuid, out approval uuid,
  out checkpoint bigint
)
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_first text := '00000000-0000-0000-0000-000000000000';
  v_id text := '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
begin
  if after is not null and (
    jsonb_typeof(after) <> 'object'
    or coalesce(after ->> 'event', '0') !~ '^[0-9]{1,18}$'
    or coalesce(after ->> 'message', '0') !~ '^[0-9]{1,18}$'
    or coalesce(after ->> 'checkpoint', '0') !~ '^[0-9]{1,18}$'
    or coalesce(after ->> 'tool_call', v_first) !~ v_id
    or coalesce(after ->> 'approval', v_first) !~ v_id
  ) then
    perform pgagent._raise(
      'PA008', 'after is no cursor of session_timeline',
      format('after: %s', left(after::text, 100)),
      'Hand in the cursor of the last row that was read.'
    );
  end if;
  event := coalesce((after ->> 'event')::bigint, 0);
  message := coalesce((after ->> 'message')::bigint, 0);
  checkpoint := coalesce((after ->> 'checkpoint')::bigint, 0);
  tool_call := coalesce(after ->> 'tool_call', v_first)::uuid;
  approval := coalesce(after ->> 'approval', v_first)::uuid;
end
$$;

comment on function pgagent._timeline_place(jsonb) is
'The places that a cursor of session_timeline holds.';
