-- Takes a person's decision, once. The run goes on when all that it asked is decided.
--
-- approval_id:   the question, as pending_approvals shows it.
-- decision:      approve; edit (with edited_action: args, and name if at all the same tool's);
--                reject (reason is told to the model); respond (with response, in place of the
--                call, or as the answer to a plain question).
-- reason:        why (at most 1,000 bytes).
-- decided_by:    who; the tenant or the calling role by default.
-- checkpoint_id: the checkpoint that the person saw, to be sure.
-- Returns: the decision as it is recorded, by whom and when; what is still open of the run, and the
--          status of its job. The same decision again is answered with the recorded one.
-- Locks:   the session, then the job.
-- Raises:  PA008, PA009 bad arguments, a decision that is not allowed, an edit that does not fit
--          the tool; PA003 no such approval; PA011 somebody else's; PA006 archived; PA005 decided
--          otherwise (the DETAIL says how), too late, cancelled, or the run has not paused yet;
--          PA012 the thread went on since.
-- Never fenced. Safe to repeat.
create function pgagent.decide_approval(
  approval_id uuid, decision text, edited_action jsonb default null, response jsonb default null,
  reason text default null, decided_by text default null, checkpoint_id text default null
)
returns table (
  status text, decider text, decided_at timestamptz, open_questions bigint, job_status text
)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_by text := coalesce(decide_approval.decided_by, pgagent._tenant(), pgagent._caller());
  v_detail text;
  s pgagent.agent_sessions;
  j pgagent.agent_jobs;
  a pgagent.approvals;
begin
  if decide_approval.approval_id is null then
    perform pgagent._raise(
      'PA008', 'approval_id is required', '', 'pgagent.pending_approvals shows what is open.'
    );
  end if;
  if pgagent._status_of(decide_approval.decision) is null then
    perform pgagent._raise(
      'PA008', 'decision must be approve, edit, reject or respond',
      format('decision: %s', coalesce(left(decide_approval.decision, 100), 'null'))
    );
  end if;
  if (decide_approval.edited_action is not null) <> (decide_approval.decision = 'edit')
    or (decide_approval.response is not null) <> (decide_approval.decision = 'respond') then
    perform pgagent._raise(
      'PA008', 'edit goes with edited_action, respond with response, and nothing else with either',
      format('decision: %s', decide_approval.decision)
    );
  end if;
  perform pgagent._check_size('edited_action', decide_approval.edited_action, 'payload');
  perform pgagent._check_size('response', decide_approval.response, 'payload');
  if decide_approval.reason <> '' then
    perform pgagent._check_name('reason', decide_approval.reason, 'reason');
  end if;
  perform pgagent._check_name('decided_by', v_by);

  select p.* into a from pgagent.approvals as p where p.approval_id = decide_approval.approval_id;
  if found then
    s := pgagent._enter(a.thread_id, null, fenced => false);
    select b.* into j from pgagent.agent_jobs as b where b.job_id = a.job_id for no key update of b;
    select p.* into a from pgagent.approvals as p where p.approval_id = decide_approval.approval_id;
  end if;
  if a.approval_id is null then
    perform pgagent._raise(
      'PA003', 'no such approval', format('approval_id: %s', decide_approval.approval_id),
      'pgagent.pending_approvals shows what is open.'
    );
  end if;

  v_detail := format('approval_id: %s, thread_id: %s', a.approval_id, a.thread_id);
  if a.status <> 'PENDING' then
    perform pgagent._check_decided(
      a, decide_approval.decision, decide_approval.edited_action, decide_approval.response
    );
  else
    if a.asked_at is null or (a.job_id is not null and j.status is distinct from 'AWAITING_HUMAN')
    then
      perform pgagent._raise(
        'PA005', 'the run does not wait for this',
        format('%s, job: %s', v_detail, coalesce(j.status, 'none')),
        'While the run goes on, nothing is decided; look again when it has paused.'
      );
    end if;
    if s.head_checkpoint_id is distinct from a.checkpoint_id
      or (
        decide_approval.checkpoint_id is not null
        and decide_approval.checkpoint_id is distinct from a.checkpoint_id
      ) then
      perform pgagent._raise(
        'PA012', 'the question is void: the thread went on since it was asked',
        format(
          '%s, asked at checkpoint: %s, now: %s', v_detail, a.checkpoint_id, s.head_checkpoint_id
        ),
        'resume_job lets the run go on from where the thread stands; it asks again.'
      );
    end if;
    a := pgagent._decide(
      a, decide_approval.decision, decide_approval.edited_action, decide_approval.response,
      decide_approval.reason, v_by
    );
    if j.job_id is not null then
      perform pgagent._settle(j, coalesce(a.interrupt_id, a.tool_call_key));
    end if;
  end if;

  return query
  select
    a.status::text, a.decided_by::text, a.decided_at,
    (
      select count(*) from pgagent.approvals as p
      where p.job_id = a.job_id and p.status = 'PENDING' and p.asked_at is not null
    ),
    (select b.status::text from pgagent.agent_jobs as b where b.job_id = a.job_id);
end
$$;

comment on function pgagent.decide_approval(uuid, text, jsonb, jsonb, text, text, text) is
'Takes a person''s decision about what a run asked: approve, edit, reject or respond, once.';

-- Lets a decision that is recorded already pass, and refuses any other.
create function pgagent._check_decided(
  a pgagent.approvals, decision text, edited_action jsonb, response jsonb
)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if a.status = pgagent._status_of(decision)
    and a.edited_action -> 'args' is not distinct from edited_action -> 'args'
    and a.response is not distinct from response then
    return;
  end if;
  if a.status = 'SUPERSEDED' then
    perform pgagent._raise(
      'PA012', 'the question is void: the thread went on since it was asked',
      format('approval_id: %s, thread_id: %s', a.approval_id, a.thread_id),
      'pgagent.pending_approvals shows what is open now.'
    );
  end if;
  perform pgagent._raise(
    'PA005',
    case
      when a.decided_by is null then format('the question is void: %s', a.status)
      else 'it was decided before, otherwise'
    end,
    left(
      format(
        'approval_id: %s, status: %s, by: %s, at: %s, reason: %s, edited_action: %s, response: %s',
        a.approval_id, a.status, coalesce(a.decided_by, '-'), a.decided_at,
        coalesce(a.reason, '-'), coalesce(left(a.edited_action::text, 300), '-'),
        coalesce(left(a.response::text, 300), '-')
      ), 2000
    ),
    'The first decision stands.'
  );
end
$$;

comment on function pgagent._check_decided(pgagent.approvals, text, jsonb, jsonb) is
'Raises PA005 or PA012 unless a decision is the recorded one.';
