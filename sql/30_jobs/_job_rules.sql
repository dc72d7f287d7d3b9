-- Small rules about jobs that more than one function needs.

-- How many jobs a call may take: from 1 to a limit.
create function pgagent._check_max_jobs(max_jobs integer, limit_name text)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if (max_jobs >= 1) is not true then
    perform pgagent._raise(
      'PA008', 'max_jobs must be at least 1',
      format('max_jobs: %s', coalesce(max_jobs::text, 'null'))
    );
  end if;
  if max_jobs > pgagent._limit(limit_name) then
    perform pgagent._raise(
      'PA009', format('max_jobs must be at most %s', pgagent._limit(limit_name)),
      format('limit: %s, max_jobs: %s', limit_name, max_jobs), 'See pgagent.limits.'
    );
  end if;
end
$$;

comment on function pgagent._check_max_jobs(integer, text) is
'Raises PA008 when a number of jobs is null or below 1, PA009 when it is too large.';

-- Whether a job that reached this status is over and frees its thread.
create function pgagent._is_final(status text)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select status in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT');
end;

comment on function pgagent._is_final(text) is 'Whether a job in this status has ended.';

-- What a thread shows while its job is in this status.
create function pgagent._session_status(job_status text)
returns text
language sql
immutable
parallel safe
begin atomic
  select
    case job_status
      when 'IN_PROGRESS' then 'RUNNING'
      when 'AWAITING_HUMAN' then 'AWAITING_HUMAN'
      when 'COMPLETED' then 'COMPLETED'
      when 'FAILED' then 'FAILED'
      when 'TIMED_OUT' then 'FAILED'
      else 'IDLE'
    end;
end;

comment on function pgagent._session_status(text) is
'The status of a thread whose last or live job is in the given status.';

-- Whether a delivery made progress: it has stored a loop checkpoint of a step beyond all that the
-- job's ended deliveries had. Such a delivery is no failed attempt.
--
-- step:   progress_step of the session: null before the first loop checkpoint of the job.
-- before: progress_step of the job: null while no delivery has ended after one.
create function pgagent._has_progressed(step integer, before integer)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select coalesce(step > before, step is not null);
end;

comment on function pgagent._has_progressed(integer, integer) is
'Whether a delivery has stored a step beyond those of the deliveries before it.';

-- How long a failed job waits: doubling from base to cap, less up to a quarter at random, so that
-- jobs that failed together do not come back together.
--
-- base, cap: those of the job; null: those of its queue, else the settings of those names.
create function pgagent._backoff(attempt integer, queue text, base interval, cap interval)
returns interval
language sql
volatile
parallel safe
begin atomic
  select
    (1 - random() / 4) * least(
      coalesce(_backoff.cap, q.retry_cap, pgagent._setting('retry_cap')::interval),
      coalesce(_backoff.base, q.retry_base, pgagent._setting('retry_base')::interval)
      * power(2, least(greatest(_backoff.attempt, 1) - 1, 30))
    )
  from (values (_backoff.queue)) as job (queue)
  left join pgagent.queues as q on q.queue = job.queue;
end;

comment on function pgagent._backoff(integer, text, interval, interval) is
'The wait before the next delivery of a job that failed for the nth time.';
