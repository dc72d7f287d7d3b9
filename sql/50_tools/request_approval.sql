-- Asks for a decision about a tool call, or tells what was decided. Call it before the call, with
-- its key; then pause, and call it again afterwards: the answer to an interrupt may belong to
-- another call of the same task, what stands here does not.
--
-- thread_id:     the thread.
-- tool_call_key: the idempotency key that the call is made under.
-- tool, args:    the call (args at most 1 MB): another call under the key is refused.
-- description:   what the person should know.
-- allowed:       which decisions are possible.
-- args_schema:   JSON Schema of args: edits must fit it.
-- timeout:       how long people have, from the pause; by default as pause_job says.
-- fencing_token: the token of the run that asks.
-- step_id, checkpoint_ns: the checkpoint the calling task runs from, as for begin_tool_call.
-- Returns: the approval; its status; question: what to interrupt with while it is PENDING, in the
--          form of LangChain's human-in-the-loop middleware; decision: what was decided
--          ({"type": "approve"}, "edit" with edited_action, "reject" and "respond" with message,
--          "timed_out"); by whom.
-- Locks:   the session.
-- Raises:  PA008, PA009 bad arguments; PA003, PA006, PA011 the thread; PA001, PA002 the fence;
--          PA004 the key was used with another tool or other arguments; PA007 the checkpoint is not
--          stored.
-- Safe to repeat: that is what it is for.
create function pgagent.request_approval(
  thread_id text, tool_call_key text, tool text, args jsonb default '{}',
  description text default null, allowed text[] default '{approve,edit,reject,respond}',
  args_schema jsonb default null, timeout interval default null,
  fencing_token bigint default null, step_id text default null, checkpoint_ns text default ''
)
returns table (
  approval_id uuid, status text, question jsonb, decision jsonb, decided_by text
)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_action jsonb;
  s pgagent.agent_sessions;
  a pgagent.approvals;
begin
  perform pgagent._check_name('tool_call_key', request_approval.tool_call_key);
  perform pgagent._check_name('tool', request_approval.tool);
  perform pgagent._check_object('args', request_approval.args, 'payload');
  if request_approval.description is not null then
    perform pgagent._check_size('description', to_jsonb(request_approval.description), 'payload');
  end if;
  if request_approval.args_schema is not null then
    perform pgagent._check_object('args_schema', request_approval.args_schema, 'config');
  end if;
  if (
    request_approval.allowed <@ '{approve,edit,reject,respond}'
    and cardinality(request_approval.allowed) > 0
  ) is not true then
    perform pgagent._raise(
      'PA008', 'allowed must name approve, edit, reject or respond, at least one of them',
      format('allowed: %s', coalesce(left(request_approval.allowed::text, 200), 'null'))
    );
  end if;
  if request_approval.timeout is not null then
    perform pgagent._check_interval('timeout', request_approval.timeout, above_zero => true);
  end if;
  v_action := jsonb_build_object('name', request_approval.tool, 'args', request_approval.args);
  s := pgagent._enter(request_approval.thread_id, request_approval.fencing_token);
  v_now := pgagent._now();

  -- approvals_by_tool_call
  select p.* into a
  from pgagent.approvals as p
  where p.thread_id = request_approval.thread_id
    and p.tool_call_key = request_approval.tool_call_key
    and p.status not in ('CANCELLED', 'SUPERSEDED');
  if found and a.action <> v_action then
    perform pgagent._raise(
      'PA004', 'an approval was asked under this key for another tool or other arguments',
      format(
        'thread_id: %s, approval_id: %s, tool: %s', a.thread_id, a.approval_id,
        a.action ->> 'name'
      ),
      'A task that runs again must make the same calls. Nothing was asked or executed.'
    );
  end if;
  if a.status = 'TIMED_OUT' and a.job_id is not null and s.owner_token is not null then
    a.status := 'PENDING';  -- its run has ended: one that runs again asks again
  end if;
  if a.status is distinct from 'PENDING' then
    if a.approval_id is null then
      perform pgagent._check_step(
        request_approval.thread_id, request_approval.checkpoint_ns, request_approval.step_id
      );
      a := pgagent._new_approval(
        s, request_approval.tool_call_key, v_action, request_approval.description,
        request_approval.allowed, request_approval.args_schema, request_approval.timeout, v_now
      );
    end if;
  else
    -- Asked again by another delivery, or by the next run that finds the task unfinished.
    update pgagent.approvals as p
    set
      status = 'PENDING',
      decided_at = null,
      job_id = case when s.owner_token is not null then s.active_job_id end,
      token = s.owner_token,
      checkpoint_id = s.head_checkpoint_id,
      interrupt_id = null,
      asked_at = case when s.owner_token is null then coalesce(p.asked_at, v_now) end,
      expires_at = case
        when s.owner_token is null then coalesce(p.expires_at, v_now + p.timeout)
      end
    where p.approval_id = a.approval_id
    returning p.* into a;
    if a.expires_at <= v_now then
      update pgagent.approvals as p
      set status = 'TIMED_OUT', decided_at = v_now
      where p.approval_id = a.approval_id
      returning p.* into a;
      perform pgagent._log_approval(a, 'approval_timed_out', '{}');
    end if;
  end if;
  return query
  select a.approval_id, a.status::text, a.question, pgagent._decision(a), a.decided_by::text;
end
$$;

comment on function pgagent.request_approval(
  text, text, text, jsonb, text, text[], jsonb, interval, bigint, text, text
) is
'Asks for a decision about a tool call, or tells what was decided; by the key of the call.';

-- Writes the row of a new question about a tool call. Of a run with a job, it is asked once the run
-- pauses; of any other, at once.
create function pgagent._new_approval(
  s pgagent.agent_sessions, tool_call_key text, action jsonb, description text, allowed text[],
  args_schema jsonb, timeout interval, now timestamptz
)
returns pgagent.approvals
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  a pgagent.approvals;
begin
  insert into pgagent.approvals as p (
    approval_id, thread_id, job_id, token, checkpoint_id, tool_call_key, question, action,
    args_schema, allowed, timeout, asked_at, expires_at
  )
  values (
    pgagent._new_id(s.thread_id), s.thread_id,
    case when s.owner_token is not null then s.active_job_id end, s.owner_token,
    s.head_checkpoint_id, tool_call_key,
    jsonb_build_object(
      'action_requests', jsonb_build_array(
        action || jsonb_strip_nulls(jsonb_build_object('description', description))
      ),
      'review_configs', jsonb_build_array(
        jsonb_build_object('action_name', action -> 'name', 'allowed_decisions', to_jsonb(allowed))
        || case
          when args_schema is null then '{}'
          else jsonb_build_object('args_schema', args_schema)
        end
      ),
      'tool_call_key', tool_call_key
    ),
    action, args_schema, allowed, timeout,
    case when s.owner_token is null then now end,
    case when s.owner_token is null then now + timeout end
  )
  returning p.* into a;
  if s.owner_token is null then
    perform pgagent._log_approval(
      a, 'pending_approval', jsonb_build_object('action', action, 'expires_at', a.expires_at)
    );
  end if;
  return a;
end
$$;

comment on function pgagent._new_approval(
  pgagent.agent_sessions, text, jsonb, text, text[], jsonb, interval, timestamptz
) is
'Writes the row of a new question about a tool call.';
