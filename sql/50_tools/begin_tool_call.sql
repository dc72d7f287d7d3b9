-- Asks whether a tool call may take effect now. Call it before the effect, and complete_tool_call
-- or fail_tool_call after it.
--
-- thread_id:       the thread.
-- tool:            name of the tool.
-- idempotency_key: the same when the call is made again after a crash; hand it to the tool too.
-- args:            the arguments (at most 1 MB): the fingerprint of the call.
-- fencing_token:   the token of the run that calls.
-- step_id:         the checkpoint the calling task runs from. The call is refused while that is not
--                  stored: after a crash the task would run again under another key.
-- checkpoint_ns:   the namespace of that checkpoint.
-- call_position:   position among the calls of the task.
-- take_over:       true to execute a call that is in doubt, when the tool itself is idempotent or
--                  is known not to have taken effect.
-- on_loop:         what becomes of a run whose third call in a row is the same tool with the same
--                  arguments: 'record' writes one event, loop_suspected, with the three calls;
--                  'fail' ends the run as well. Runs without a job are not looked at.
-- Returns: action:
--   execute   nobody has: do it, then report it
--   replay    it was done: outcome holds the stored result
--   busy      this very run has begun it and not reported (or, without a token, somebody has)
--   in_doubt  an earlier run began it and never reported, or it was reported so: it may or may not
--             have taken effect
--   stopped    it went in circles and on_loop = 'fail': the job is FAILED, stop the run
--          and the call, how often it was started, and the stored outcome.
-- Locks:   the session.
-- Raises:  PA008, PA009 bad arguments; PA003, PA006, PA011 the thread; PA001, PA002 the fence;
--          PA004 the key was used with another tool or other arguments; PA005 a person was asked
--          and did not approve; PA007 the checkpoint is not stored.
-- Safe to repeat: that is what it is for.
create function pgagent.begin_tool_call(
  thread_id text, tool text, idempotency_key text, args jsonb default '{}',
  fencing_token bigint default null, step_id text default null, checkpoint_ns text default '',
  call_position integer default null, take_over boolean default false,
  on_loop text default 'record'
)
returns table (action text, call_id uuid, starts integer, outcome jsonb)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
  c pgagent.tool_calls;
  a pgagent.approvals;
  v_fingerprint bytea;
begin
  perform pgagent._check_name('tool', begin_tool_call.tool);
  perform pgagent._check_name('idempotency_key', begin_tool_call.idempotency_key);
  if begin_tool_call.args is null or begin_tool_call.take_over is null then
    perform pgagent._raise('PA008', 'args and take_over are required');
  end if;
  if (begin_tool_call.on_loop in ('record', 'fail')) is not true then
    perform pgagent._raise(
      'PA008', 'on_loop must be record or fail',
      format('on_loop: %s', coalesce(left(begin_tool_call.on_loop, 100), 'null'))
    );
  end if;
  perform pgagent._check_size('args', begin_tool_call.args, 'payload');
  v_fingerprint := pgagent._fingerprint(
    jsonb_build_array(begin_tool_call.tool, begin_tool_call.args)
  );
  s := pgagent._enter(begin_tool_call.thread_id, begin_tool_call.fencing_token);

  select t.* into c
  from pgagent.tool_calls as t
  where t.thread_id = begin_tool_call.thread_id
    and t.idempotency_key = begin_tool_call.idempotency_key;
  if found and c.fingerprint <> v_fingerprint then
    perform pgagent._raise(
      'PA004', 'the idempotency key was used before with another tool or other arguments',
      format('thread_id: %s, call_id: %s, tool: %s', c.thread_id, c.call_id, c.tool),
      'A task that runs again must make the same calls. Nothing was executed.'
    );
  end if;
  if c.status = 'SUCCEEDED' then
    return query select 'replay', c.call_id, c.attempts, c.result;
    return;
  end if;
  if c.status = 'STARTED' and c.token is not distinct from begin_tool_call.fencing_token then
    return query select 'busy', c.call_id, c.attempts, null::jsonb;
    return;
  end if;
  if c.status in ('STARTED', 'IN_DOUBT') and not begin_tool_call.take_over then
    return query select 'in_doubt', c.call_id, c.attempts, null::jsonb;
    return;
  end if;

  perform pgagent._check_step(
    begin_tool_call.thread_id, begin_tool_call.checkpoint_ns, begin_tool_call.step_id
  );
  select p.* into a
  from pgagent.approvals as p
  where p.thread_id = begin_tool_call.thread_id
    and p.tool_call_key = begin_tool_call.idempotency_key
    and p.status not in ('CANCELLED', 'SUPERSEDED');
  if a.status in ('REJECTED', 'RESPONDED', 'TIMED_OUT') then
    perform pgagent._raise(
      'PA005', 'the tool call was not approved',
      format('thread_id: %s, approval_id: %s, status: %s', a.thread_id, a.approval_id, a.status),
      'request_approval tells what was decided, and why.'
    );
  end if;
  insert into pgagent.tool_calls as t (
    call_id, thread_id, step_id, position, tool, args, idempotency_key, fingerprint, status, token,
    job_id, decision, step
  )
  values (
    pgagent._new_id(begin_tool_call.thread_id), begin_tool_call.thread_id, begin_tool_call.step_id,
    begin_tool_call.call_position, begin_tool_call.tool, begin_tool_call.args,
    begin_tool_call.idempotency_key, v_fingerprint, 'STARTED', begin_tool_call.fencing_token,
    case when s.owner_token = begin_tool_call.fencing_token then s.active_job_id end,
    pgagent._decision(a),
    pgagent._step_after(
      pgagent._checkpoint(
        begin_tool_call.thread_id, begin_tool_call.checkpoint_ns, begin_tool_call.step_id
      )
    )
  )
  on conflict on constraint tool_calls_key_is_unique do update
  set
    status = 'STARTED', token = excluded.token, job_id = excluded.job_id,
    decision = excluded.decision,
    attempts = t.attempts + 1, started_at = excluded.started_at, ended_at = null, error = null
  returning t.* into c;
  if c.attempts = 1 and c.job_id is not null
    and pgagent._guard_loops(c, begin_tool_call.on_loop) then
    return query select 'stopped', c.call_id, c.attempts, null::jsonb;
    return;
  end if;
  return query select 'execute', c.call_id, c.attempts, null::jsonb;
end
$$;

comment on function pgagent.begin_tool_call(
  text, text, text, jsonb, bigint, text, text, integer, boolean, text
) is
'Asks whether a tool call may take effect now: execute, replay, busy, in_doubt or stopped.';
