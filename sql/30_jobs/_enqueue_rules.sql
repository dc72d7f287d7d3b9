-- The rules that enqueue_job, enqueue_jobs and start_run share.

-- The argument checks of enqueue_job, of start_run, which calls it, and of each element of
-- enqueue_jobs.
create function pgagent._check_job(
  thread_id text, payload jsonb, queue text, priority integer, delay interval, config jsonb,
  idempotency_key text, max_attempts integer, timeout interval, step_timeout interval,
  trace_id text, retry_base interval default null, retry_cap interval default null,
  traceparent text default null
)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_name('thread_id', thread_id, 'thread_id');
  perform pgagent._check_name('queue', queue);
  if payload is null then
    perform pgagent._raise('PA008', 'payload is required', '', 'A run without input takes ''{}''.');
  end if;
  perform pgagent._check_size('payload', payload, 'payload');
  perform pgagent._check_object('config', config, 'config');
  if (priority between 0 and 9) is not true then
    perform pgagent._raise(
      'PA008', 'priority must be from 0 to 9',
      format('priority: %s', coalesce(priority::text, 'null'))
    );
  end if;
  if (max_attempts >= 1) is not true then
    perform pgagent._raise(
      'PA008', 'max_attempts must be at least 1',
      format('max_attempts: %s', coalesce(max_attempts::text, 'null'))
    );
  end if;
  perform pgagent._check_interval('delay', delay);
  if timeout is not null then
    perform pgagent._check_interval('timeout', timeout, true);
  end if;
  if step_timeout is not null then
    perform pgagent._check_interval('step_timeout', step_timeout, true);
  end if;
  if idempotency_key is not null then
    perform pgagent._check_name('idempotency_key', idempotency_key);
  end if;
  if trace_id is not null then
    perform pgagent._check_name('trace_id', trace_id);
  end if;
  if traceparent is not null then
    perform pgagent._check_traceparent(traceparent);
  end if;
  if retry_base is not null then
    perform pgagent._check_interval('retry_base', retry_base, true);
  end if;
  if retry_cap is not null then
    perform pgagent._check_interval('retry_cap', retry_cap, true);
  end if;
end
$$;

comment on function pgagent._check_job(
  text, jsonb, text, integer, interval, jsonb, text, integer, interval, interval, text, interval,
  interval, text
) is
'Raises PA008 or PA009 when a job cannot be enqueued as described.';

-- What a job says, in 32 bytes: kept beside its key.
create function pgagent._job_fingerprint(payload jsonb, config jsonb)
returns bytea
language sql
stable
parallel safe
begin atomic
  select pgagent._fingerprint(jsonb_build_array(payload, config));
end;

comment on function pgagent._job_fingerprint(jsonb, jsonb) is
'The fingerprint of what a job says.';

-- Whether the thread's live job makes way for a new one that is due earlier. Only a job that was
-- never claimed, and so is neither leased nor paused, and that is not due itself does.
--
-- token, available_at: of the live job.
-- due:                 when the new one is due; not in the past.
create function pgagent._makes_way(token bigint, available_at timestamptz, due timestamptz)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select token is null and available_at > due;
end;

comment on function pgagent._makes_way(bigint, timestamptz, timestamptz) is
'Whether a live job makes way for a new one: never claimed, and due later.';

-- Lets the thread's live job step back behind a new one.
--
-- due:     when the new job is due.
-- Returns: whether the place is free now.
create function pgagent._step_back(session pgagent.agent_sessions, due timestamptz)
returns boolean
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_job pgagent.agent_jobs;
begin
  update pgagent.agent_jobs as j
  set status = 'WAITING'
  where j.job_id = session.active_job_id
    and pgagent._makes_way(j.fencing_token, j.available_at, due)
  returning j.* into v_job;
  if found then
    perform pgagent._log_job_event(v_job, 'job_stepped_back', null);
    return true;
  end if;
  return false;
end
$$;

comment on function pgagent._step_back(pgagent.agent_sessions, timestamptz) is
'Makes a delayed job that was never started wait behind one that is due earlier.';

-- The refusals that enqueue_job and enqueue_jobs share, as _raise_error takes them.
create function pgagent._busy_error(thread_id text, live_job_id uuid)
returns jsonb
language sql
immutable
parallel safe
begin atomic
  select jsonb_build_object(
    'code', 'PA001', 'message', 'the thread is busy: another job is live',
    'detail', concat('thread_id: ', thread_id, ', job_id: ', live_job_id),
    'hint', 'Enqueue with on_busy => ''enqueue'', or cancel the other job.'
  );
end;

comment on function pgagent._busy_error(text, uuid) is 'The refusal of a busy thread.';

create function pgagent._key_error(thread_id text, job_id uuid, idempotency_key text)
returns jsonb
language sql
immutable
parallel safe
begin atomic
  select jsonb_build_object(
    'code', 'PA004', 'message', 'the idempotency key was used before with another payload',
    'detail', concat('thread_id: ', thread_id, ', job_id: ', job_id, ', key: ', idempotency_key),
    'hint', 'Take a new key for another run.'
  );
end;

comment on function pgagent._key_error(text, uuid, text) is
'The refusal of a key that was used with another payload.';
