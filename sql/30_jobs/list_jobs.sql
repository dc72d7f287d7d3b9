-- The newest jobs, for people: get_job shows one whole.
--
-- queue, status, thread_id: only those; null for any.
-- before_job: only jobs that were enqueued before this one: the last of the page that was read.
-- max_jobs: how many at most.
-- Returns:  one row a job, newest first.
-- Reads under row security; locks nothing. Inlined, so that the planner sees what is null: live and
-- dead jobs are found by their partial indexes, the others by walking back over the newest.
create function pgagent.list_jobs(
  queue text default null, status text default null, thread_id text default null,
  before_job uuid default null, max_jobs integer default 50
)
returns table (
  id uuid, thread text, queue_name text, job_status text, priority integer,
  available_at timestamptz, attempt integer, max_attempts integer, worker text,
  cancel_requested boolean, created_at timestamptz, completed_at timestamptz, error jsonb
)
language sql
stable
begin atomic
  select
    j.job_id, j.thread_id, j.queue, j.status, j.priority, j.available_at, j.attempt,
    j.max_attempts, j.lease_owner, j.cancel_requested_at is not null, j.created_at,
    j.completed_at, j.error
  from pgagent.agent_jobs as j
  where
    (list_jobs.queue is null or j.queue = list_jobs.queue)
    and (list_jobs.status is null or j.status = list_jobs.status)
    and (list_jobs.thread_id is null or j.thread_id = list_jobs.thread_id)
    and (list_jobs.before_job is null or j.job_id < list_jobs.before_job)
  order by j.job_id desc
  limit greatest(list_jobs.max_jobs, 0);
end;

comment on function pgagent.list_jobs(text, text, text, uuid, integer) is
'The newest jobs, of a queue, a status or a thread.';
