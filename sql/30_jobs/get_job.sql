-- One job, as its caller may see it.
--
-- job_id:  the job.
-- Returns: one row, or none. error is that of the last delivery; job_attempts has one row a
--          delivery.
-- Reads under row security; locks nothing.
create function pgagent.get_job(job_id uuid)
returns table (
  id uuid, thread_id text, seq bigint, queue text, status text, priority integer,
  available_at timestamptz, attempt integer, max_attempts integer, worker text,
  lease_expires_at timestamptz, fencing_token bigint, cancel_requested_at timestamptz,
  cancelled_by text, cancel_reason text, started_checkpoint_id text, waiting_for jsonb,
  answers jsonb, payload jsonb, config jsonb, result jsonb, error jsonb, trace_id text,
  created_at timestamptz, started_at timestamptz, completed_at timestamptz, traceparent text
)
language sql
stable
begin atomic
  select
    j.job_id, j.thread_id, j.seq, j.queue, j.status, j.priority, j.available_at, j.attempt,
    j.max_attempts, j.lease_owner, j.lease_expires_at, j.fencing_token, j.cancel_requested_at,
    j.cancelled_by, j.cancel_reason, j.started_checkpoint_id, j.waiting_for, j.resume, j.payload,
    j.config, j.result, j.error, j.trace_id, j.created_at, j.started_at, j.completed_at,
    j.traceparent
  from pgagent.agent_jobs as j
  where j.job_id = get_job.job_id;
end;

comment on function pgagent.get_job(uuid) is 'One job with its state, answers, result and error.';
