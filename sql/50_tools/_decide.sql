-- Takes one decision about an open approval: the part that decide_approval and resume_job share.
-- The session and the job are locked already, and the caller may do this.
--
-- Returns: the approval, decided.
-- Raises:  PA005 the run has not paused for it, or the deadline has passed; PA008 the decision is
--          not allowed, or an edit or response does not fit.
create function pgagent._decide(
  a pgagent.approvals, decision text, edited_action jsonb, response jsonb, reason text,
  decided_by text
)
returns pgagent.approvals
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
  v_detail text := format('approval_id: %s, thread_id: %s', a.approval_id, a.thread_id);
  v_edited jsonb;
  v_decided pgagent.approvals;
begin
  if a.expires_at <= v_now then
    perform pgagent._raise(
      'PA005', 'the deadline has passed: nobody decided in time',
      v_detail || format(', expires_at: %s', a.expires_at), 'The run ends as TIMED_OUT.'
    );
  end if;
  if not a.allowed @> array[_decide.decision] then
    perform pgagent._raise(
      'PA008', format('%s is not possible here', _decide.decision), v_detail,
      format('Possible: %s.', array_to_string(a.allowed, ', '))
    );
  end if;
  if _decide.decision = 'edit' then
    v_edited := pgagent._edited(a, _decide.edited_action);
  elsif _decide.decision = 'respond' then
    if _decide.response is null
      or (a.action is not null and jsonb_typeof(_decide.response) <> 'string') then
      perform pgagent._raise(
        'PA008', 'response is required, and text where a call is reviewed', v_detail
      );
    end if;
  end if;

  update pgagent.approvals as p
  set
    status = pgagent._status_of(_decide.decision),
    decided_by = _decide.decided_by,
    decided_at = v_now,
    reason = nullif(_decide.reason, ''),
    edited_action = v_edited,
    response = case _decide.decision when 'respond' then _decide.response end
  where p.approval_id = a.approval_id
  returning p.* into v_decided;
  update pgagent.tool_calls as t
  set decision = pgagent._decision(v_decided)
  where t.thread_id = a.thread_id and t.idempotency_key = a.tool_call_key;
  perform pgagent._log_approval(
    v_decided, 'approval_decided',
    jsonb_build_object(
      'status', v_decided.status, 'by', v_decided.decided_by, 'reason', v_decided.reason,
      'action', v_decided.action, 'edited_action', v_decided.edited_action
    )
  );
  return v_decided;
end
$$;

comment on function pgagent._decide(pgagent.approvals, text, jsonb, jsonb, text, text) is
'Takes one decision about an open approval.';

-- The call that is approved in place of the proposed one: the same tool, and arguments that fit its
-- schema.
create function pgagent._edited(a pgagent.approvals, edited_action jsonb)
returns jsonb
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_detail text := format('approval_id: %s, thread_id: %s', a.approval_id, a.thread_id);
  v_fault text;
begin
  if jsonb_typeof(edited_action -> 'args') is distinct from 'object' then
    perform pgagent._raise(
      'PA008', 'edited_action must be a JSON object with args, an object', v_detail
    );
  end if;
  if edited_action -> 'name' <> a.action -> 'name' then
    perform pgagent._raise(
      'PA008', format('an edit cannot choose another tool than %s', a.action ->> 'name'), v_detail,
      'Reject the call, and say why.'
    );
  end if;
  v_fault := pgagent._schema_fault(a.args_schema, edited_action -> 'args');
  if v_fault is not null then
    perform pgagent._raise(
      'PA008', format('the edited arguments do not fit the tool: %s', left(v_fault, 500)), v_detail,
      'args_schema of the approval says what fits.'
    );
  end if;
  return jsonb_build_object('name', a.action -> 'name', 'args', edited_action -> 'args');
end
$$;

comment on function pgagent._edited(pgagent.approvals, jsonb) is
'The call that an edit approves, or the refusal.';

-- Gives a decided question to the run: its answer, when all that the interrupt asked is decided,
-- and the move to PENDING, when all that the run asked is.
--
-- asked_as: the interrupt, or the key of the tool call.
-- answer:   given as it is; null to make it of the decisions.
-- Returns:  how many questions of the run are open.
-- Raises:   PA008 the answer does not fit what the interrupt returns.
create function pgagent._settle(job pgagent.agent_jobs, asked_as text, answer jsonb default null)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_open bigint;
  v_answer jsonb;
  v_fault text;
begin
  if not exists (
    select from pgagent.approvals as a
    where a.job_id = job.job_id
      and a.status = 'PENDING'
      and coalesce(a.interrupt_id, a.tool_call_key) = _settle.asked_as
  ) then
    v_answer := coalesce(
      _settle.answer, pgagent._answer(job.job_id, job.fencing_token, _settle.asked_as)
    );
    select pgagent._schema_fault(a.response_schema, v_answer, path => 'the answer') into v_fault
    from pgagent.approvals as a
    where a.job_id = job.job_id
      and a.token = job.fencing_token
      and a.interrupt_id = _settle.asked_as
    limit 1;
    if v_fault is not null then
      perform pgagent._raise(
        'PA008', format('this is not what the run can take: %s', left(v_fault, 500)),
        format('job_id: %s, interrupt id: %s', job.job_id, _settle.asked_as)
      );
    end if;
    update pgagent.agent_jobs as b
    set resume = coalesce(b.resume, '{}') || jsonb_build_object(_settle.asked_as, v_answer)
    where b.job_id = job.job_id;
  end if;
  select count(*) into v_open
  from pgagent.approvals as a
  where a.job_id = job.job_id and a.status = 'PENDING';
  if v_open = 0 then
    perform pgagent._resume(job);
  end if;
  return v_open;
end
$$;

comment on function pgagent._settle(pgagent.agent_jobs, text, jsonb) is
'Gives a decided question to the run, which goes on when nothing is open.';

-- Lets a paused run go on.
create function pgagent._resume(job pgagent.agent_jobs, data jsonb default null)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  update pgagent.agent_jobs as b
  set status = 'PENDING', waiting_for = null, available_at = pgagent._now()
  where b.job_id = job.job_id;
  perform pgagent._log_job_event(job, 'job_resumed', data, session_status => 'IDLE');
  perform pgagent._wake(job.queue, 'PENDING', job.job_id);
end
$$;

comment on function pgagent._resume(pgagent.agent_jobs, jsonb) is 'Lets a paused run go on.';
