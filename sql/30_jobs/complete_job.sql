-- Ends a run with its result.
--
-- job_id, fencing_token: the delivery, as claimed.
-- result:  what the run returned (at most 1 MB).
-- Returns: COMPLETED; or CANCELLED when a cancellation was asked for meanwhile.
-- Locks:   the session, the job, the thread's next waiting job.
-- Raises:  PA008, PA009 bad arguments; PA011 not a service role; PA003 no such job; PA002 the
--          delivery is over and ended otherwise.
-- Safe to repeat: yes, with the same token.
create function pgagent.complete_job(job_id uuid, fencing_token bigint, result jsonb default null)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_delivery(job_id, fencing_token);
  perform pgagent._check_size('result', result, 'result');
  return coalesce(
    pgagent._end_delivery(job_id, fencing_token, 'completed', 'COMPLETED', result => result),
    pgagent._ended_before(job_id, fencing_token, 'completed')
  );
end
$$;

comment on function pgagent.complete_job(uuid, bigint, jsonb) is
'Ends a run with its result and lets the thread''s next job in.';
