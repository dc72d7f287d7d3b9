-- Gives a job back unfinished, as a worker does that is told to stop: the next one goes on at once,
-- from the last checkpoint.
--
-- job_id, fencing_token: the delivery, as claimed.
-- delay:   not claimed again before this time has passed.
-- Returns: PENDING; or CANCELLED when a cancellation was asked for meanwhile. The attempt is not
--          counted.
-- Locks:   the session, the job, the thread's next waiting job.
-- Raises:  PA008 bad arguments; PA011 not a service role; PA003 no such job; PA002 the delivery is
--          over and ended otherwise.
-- Safe to repeat: yes, with the same token.
create function pgagent.release_job(
  job_id uuid, fencing_token bigint, delay interval default '0'
)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_delivery(job_id, fencing_token);
  perform pgagent._check_interval('delay', delay);
  return coalesce(
    pgagent._end_delivery(job_id, fencing_token, 'released', 'PENDING', delay => delay),
    pgagent._ended_before(job_id, fencing_token, 'released')
  );
end
$$;

comment on function pgagent.release_job(uuid, bigint, interval) is
'Gives a job back unfinished; the attempt is not counted.';
