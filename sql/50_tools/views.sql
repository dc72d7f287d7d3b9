-- What people are asked to decide now.
create view pgagent.pending_approvals with (security_invoker = true) as
select
  a.approval_id,
  a.thread_id,
  s.user_id,
  a.job_id,
  a.checkpoint_id,
  a.interrupt_id,
  a.tool_call_key,
  a.action,
  a.question,
  a.allowed,
  a.args_schema,
  a.asked_at,
  a.expires_at,
  coalesce(a.checkpoint_id, '') <> coalesce(s.head_checkpoint_id, '') as superseded
from pgagent.approvals as a
inner join pgagent.agent_sessions as s on a.thread_id = s.thread_id
left join pgagent.agent_jobs as j on a.job_id = j.job_id
where
  a.status = 'PENDING'
  and a.asked_at is not null
  and (a.job_id is null or (j.status = 'AWAITING_HUMAN' and a.token = j.fencing_token));

comment on view pgagent.pending_approvals is
'What people are asked to decide now, one row a question: decide_approval takes the decision. '
'superseded: the thread went on since, and resume_job lets the run ask again.';
comment on column pgagent.pending_approvals.approval_id is 'The question.';
comment on column pgagent.pending_approvals.thread_id is 'The thread.';
comment on column pgagent.pending_approvals.user_id is 'Owner of the thread.';
comment on column pgagent.pending_approvals.job_id is
'The run that waits; null for a run without a job.';
comment on column pgagent.pending_approvals.checkpoint_id is 'The checkpoint it paused at.';
comment on column pgagent.pending_approvals.interrupt_id is 'The interrupt that asks.';
comment on column pgagent.pending_approvals.tool_call_key is
'Key of the tool call it is about, if it is about one.';
comment on column pgagent.pending_approvals.action is
'The call that is to be approved: name and args.';
comment on column pgagent.pending_approvals.question is 'What was asked, as the interrupt gave it.';
comment on column pgagent.pending_approvals.allowed is 'Which decisions are possible.';
comment on column pgagent.pending_approvals.args_schema is
'JSON Schema of args: edits must fit it.';
comment on column pgagent.pending_approvals.asked_at is 'When the run paused.';
comment on column pgagent.pending_approvals.expires_at is 'When it ends as TIMED_OUT.';
comment on column pgagent.pending_approvals.superseded is
'Whether the thread went on since: no decision is taken any more.';
