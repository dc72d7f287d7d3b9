-- What a run asks at a pause, beside what its interrupts say: calls of tools that asked for an
-- approval while another call of their task was the one to interrupt. By the key of the call.
create function pgagent._with_hidden_questions(job_id uuid, waiting_for jsonb)
returns jsonb
language sql
stable
begin atomic
  select
    _with_hidden_questions.waiting_for
    || coalesce(jsonb_object_agg(a.tool_call_key, a.question), '{}')
  from pgagent.agent_jobs as j
  join pgagent.agent_sessions as s on s.thread_id = j.thread_id
  join pgagent.approvals as a on a.job_id = j.job_id
  where
    j.job_id = _with_hidden_questions.job_id
    and a.status = 'PENDING'
    and a.tool_call_key is not null
    and a.checkpoint_id is not distinct from s.head_checkpoint_id
    and not exists (
      select from jsonb_each(_with_hidden_questions.waiting_for) as q
      where q.value ->> 'tool_call_key' = a.tool_call_key
    );
end;

comment on function pgagent._with_hidden_questions(uuid, jsonb) is
'The questions of a pause, with those of tool calls whose own interrupt another one hid.';

-- Writes the approvals of a pause, one row a question, and an event for each. The run is
-- AWAITING_HUMAN already, in this transaction.
--
-- waiting_for: what the job waits for: interrupt id, or key of a tool call, to question.
-- timeout:     how long people have, where the question itself does not say; null for ever.
-- response_schemas: JSON Schemas of answers, by interrupt id.
-- Locks:       nothing more: the caller has session and job.
create function pgagent._ask(
  job_id uuid, waiting_for jsonb, timeout interval, response_schemas jsonb
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
  v_head text;
  j pgagent.agent_jobs;
  a pgagent.approvals;
begin
  select b.* into j from pgagent.agent_jobs as b where b.job_id = _ask.job_id;
  select s.head_checkpoint_id into v_head
  from pgagent.agent_sessions as s
  where s.thread_id = j.thread_id;

  -- What request_approval has written is asked now; a run that was requeued asks again what nobody
  -- decided in time. What else was written, another way was taken.
  update pgagent.approvals as p
  set
    status = 'PENDING',
    decided_at = null,
    interrupt_id = nullif(q.key, p.tool_call_key),
    token = j.fencing_token,
    checkpoint_id = v_head,
    asked_at = v_now,
    expires_at = v_now + coalesce(p.timeout, _ask.timeout)
  from jsonb_each(_ask.waiting_for) as q
  where p.job_id = j.job_id
    and p.status in ('PENDING', 'TIMED_OUT')
    and p.tool_call_key = q.value ->> 'tool_call_key';
  update pgagent.approvals as p
  set status = 'SUPERSEDED', decided_at = v_now
  where p.job_id = j.job_id and p.status = 'PENDING' and p.asked_at is distinct from v_now;

  insert into pgagent.approvals (
    approval_id, thread_id, job_id, token, checkpoint_id, interrupt_id, position, tool_call_key,
    question, action, args_schema, response_schema, allowed, asked_at, expires_at
  )
  select
    pgagent._new_id(j.thread_id, (q.ordinal + n.place)::integer), j.thread_id, j.job_id,
    j.fencing_token, v_head, q.key, n.place, k.tool_call_key, q.value, n.action, n.args_schema,
    _ask.response_schemas -> q.key, n.allowed, v_now, v_now + _ask.timeout
  from jsonb_each(_ask.waiting_for) with ordinality as q (key, value, ordinal)
  cross join lateral pgagent._questions(
    q.key, q.value, _ask.response_schemas -> q.key
  ) as n
  left join lateral (
    -- Its row became void, when the run was cancelled.
    select q.value ->> 'tool_call_key' as tool_call_key
    where octet_length(q.value ->> 'tool_call_key') between 1 and pgagent._limit('name')
      and case
        when pgagent._asks_for_review(q.value)
          then jsonb_array_length(q.value -> 'action_requests') = 1
        else false
      end
      and not exists (
        select from pgagent.approvals as p
        where p.thread_id = j.thread_id
          and p.tool_call_key = q.value ->> 'tool_call_key'
          and p.status not in ('CANCELLED', 'SUPERSEDED')
      )
  ) as k on true
  where not exists (
    select from pgagent.approvals as p
    where p.job_id = j.job_id
      and p.token = j.fencing_token
      and coalesce(p.interrupt_id, p.tool_call_key) = q.key
  );

  for a in
    select p.*
    from pgagent.approvals as p
    where p.job_id = j.job_id and p.status = 'PENDING'
    order by p.interrupt_id, p.position, p.approval_id
  loop
    perform pgagent._log_approval(
      a, 'pending_approval', jsonb_build_object('action', a.action, 'expires_at', a.expires_at)
    );
  end loop;
end
$$;

comment on function pgagent._ask(uuid, jsonb, interval, jsonb) is
'Writes the approvals of a pause, one row a question, with an event for each.';
