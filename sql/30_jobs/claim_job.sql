-- Claims the next due job of a queue.
--
-- worker:  name of the worker, kept on the job and its attempts.
-- queue:   the queue.
-- lease:   how long the worker may be silent before the job is given to another: renew at a third.
-- Returns: one row, or none when nothing is due. fencing_token is what every later call of the run
--          carries; lease_left and deadline_left are remaining times, to be measured on the
--          worker's own monotonic clock from before the call.
--          started_checkpoint_id is null until the run has taken in its input; resume holds answers
--          of people by interrupt id. traceparent is that of the job's enqueuer.
-- Locks:   the session, then the job; skips what is locked, never waits.
-- Raises:  PA008, PA009 bad arguments; PA011 not a service role.
-- Not safe to repeat: each call claims another job.
create function pgagent.claim_job(
  worker text, queue text default 'default', lease interval default '60 s'
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
  perform pgagent._check_claim(worker, array[queue], 1, lease);
  return query select * from pgagent._claim(worker, array[queue], 1, lease);
end
$$;

comment on function pgagent.claim_job(text, text, interval) is
'Claims the next due job of a queue: returns it with its fencing token, or no row.';

-- The argument checks of claim_job and claim_jobs.
create function pgagent._check_claim(
  worker text, queues text[], max_jobs integer, lease interval
)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue text;
begin
  perform pgagent._require_service();
  perform pgagent._check_name('worker', worker);
  if queues is null or cardinality(queues) = 0 or array_ndims(queues) <> 1 then
    perform pgagent._raise('PA008', 'queues must be an array with at least one queue');
  end if;
  if cardinality(queues) > pgagent._limit('queues') then
    perform pgagent._raise(
      'PA009', format('more than %s queues', pgagent._limit('queues')),
      format('limit: queues, queues: %s', cardinality(queues)), 'See pgagent.limits.'
    );
  end if;
  foreach v_queue in array queues loop
    perform pgagent._check_name('queue', v_queue);
  end loop;
  perform pgagent._check_max_jobs(max_jobs, 'claim');
  perform pgagent._check_interval('lease', lease, true);
end
$$;

comment on function pgagent._check_claim(text, text[], integer, interval) is
'Raises PA008, PA009 or PA011 when jobs cannot be claimed as asked.';
