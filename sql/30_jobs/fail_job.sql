-- Ends a delivery that went wrong: the job is retried later, or has failed.
--
-- job_id, fencing_token: the delivery, as claimed.
-- error:    what happened (at most 1 MB), at best {"type": ..., "message": ...}.
-- fatal:    true when a retry cannot help.
-- retry_in: wait before the retry; by default it doubles from retry_base to retry_cap, those of
--           the job, its queue or the settings, with jitter.
-- Returns:  PENDING when it will be retried; FAILED when it was fatal, or the last of max_attempts
--           deliveries without progress; TIMED_OUT when the retry would come after the deadline;
--           CANCELLED when that was asked for meanwhile.
-- Locks:    the session, the job, the thread's next waiting job.
-- Raises:   PA008, PA009 bad arguments; PA011 not a service role; PA003 no such job; PA002 the
--           delivery is over and ended otherwise.
-- Safe to repeat: yes, with the same token.
create function pgagent.fail_job(
  job_id uuid, fencing_token bigint, error jsonb, fatal boolean default false,
  retry_in interval default null
)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_retry boolean;
  v_backoff interval;
begin
  perform pgagent._check_delivery(fail_job.job_id, fail_job.fencing_token);
  if fail_job.error is null or fail_job.fatal is null then
    perform pgagent._raise('PA008', 'error and fatal are required');
  end if;
  perform pgagent._check_size('error', fail_job.error, 'result');
  if fail_job.retry_in is not null then
    perform pgagent._check_interval('retry_in', fail_job.retry_in);
  end if;

  select
    not fail_job.fatal and (
      j.attempt < j.max_attempts
      or pgagent._has_progressed(s.progress_step, j.progress_step)
    ),
    pgagent._backoff(j.attempt, j.queue, j.retry_base, j.retry_cap)
  into v_retry, v_backoff
  from pgagent.agent_jobs as j
  join pgagent.agent_sessions as s on s.thread_id = j.thread_id
  where j.job_id = fail_job.job_id;

  return coalesce(
    pgagent._end_delivery(
      fail_job.job_id, fail_job.fencing_token, 'failed',
      case when v_retry then 'PENDING' else 'FAILED' end,
      delay => coalesce(fail_job.retry_in, v_backoff),
      error => fail_job.error
    ),
    pgagent._ended_before(fail_job.job_id, fail_job.fencing_token, 'failed')
  );
end
$$;

comment on function pgagent.fail_job(uuid, bigint, jsonb, boolean, interval) is
'Ends a delivery that went wrong: the job is retried later, or FAILED.';
