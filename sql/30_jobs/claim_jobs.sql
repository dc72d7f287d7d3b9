-- Claims up to max_jobs due jobs of several queues.
--
-- worker:   name of the worker.
-- queues:   the queues; within a priority, an earlier one comes first.
-- max_jobs: 1 to 1,000.
-- lease:    as for claim_job.
-- Returns, locks, raises: as claim_job, with a row a job, best first.
create function pgagent.claim_jobs(
  worker text, queues text[] default '{default}', max_jobs integer default 1,
  lease interval default '60 s'
)
returns table (
  job_id uuid, thread_id text, payload jsonb, config jsonb, attempt integer, max_attempts integer,
  fencing_token bigint, lease_left interval, deadline_left interval, started_checkpoint_id text,
  resume jsonb, trace_id text, traceparent text
)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_claim(worker, queues, max_jobs, lease);
  return query select * from pgagent._claim(worker, queues, max_jobs, lease);
end
$$;

comment on function pgagent.claim_jobs(text, text[], integer, interval) is
'Claims up to max_jobs due jobs of several queues, each with its fencing token.';
