-- One approval, open, decided or void, as its caller may see it.
--
-- approval_id: the approval.
-- Returns:     one row, or none.
-- Reads under row security; locks nothing.
create function pgagent.get_approval(approval_id uuid)
returns table (
  id uuid, thread_id text, job_id uuid, checkpoint_id text, interrupt_id text, tool_call_key text,
  question jsonb, action jsonb, args_schema jsonb, allowed text[], status text,
  asked_at timestamptz, expires_at timestamptz, decided_by text, decided_at timestamptz,
  reason text, edited_action jsonb, response jsonb, superseded boolean
)
language sql
stable
begin atomic
  select
    a.approval_id, a.thread_id, a.job_id, a.checkpoint_id, a.interrupt_id, a.tool_call_key,
    a.question, a.action, a.args_schema, a.allowed, a.status, a.asked_at, a.expires_at,
    a.decided_by, a.decided_at, a.reason, a.edited_action, a.response,
    a.status = 'SUPERSEDED'
    or (a.status = 'PENDING' and a.checkpoint_id is distinct from s.head_checkpoint_id)
  from pgagent.approvals as a
  join pgagent.agent_sessions as s on s.thread_id = a.thread_id
  where a.approval_id = get_approval.approval_id;
end;

comment on function pgagent.get_approval(uuid) is
'One approval: what was asked, and what was decided, by whom, when and why.';
