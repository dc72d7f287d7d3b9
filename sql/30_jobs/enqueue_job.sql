-- Enqueues a run on a thread; makes the thread when there is none, revives a deleted one.
--
-- thread_id:       the thread. Its runs go one after the other.
-- payload:         input of the run (at most 1 MB).
-- queue:           the queue it is claimed from.
-- priority:        0 to 9; higher is claimed first.
-- delay:           not claimed before this time has passed.
-- config:          configuration of this run alone, a JSON object (at most 16 kB).
-- idempotency_key: unique in the thread; the same key and payload again returns the first job.
-- max_attempts:    deliveries without progress before the job is FAILED.
-- timeout:         longest time from the first claim (or the last resume) to the end: TIMED_OUT.
-- step_timeout:    longest time without progress: the lease ends although it is renewed.
-- on_busy:         'enqueue' waits behind the thread's other jobs, 'reject' raises PA001.
-- trace_id:        kept on the job and its events.
-- Returns:         the job, its status (PENDING, or WAITING behind another), and whether this call
--                  enqueued it.
-- Locks:           the session, then the thread's live job when that is to step back.
-- Raises:          PA008, PA009 bad arguments; PA011 somebody else's thread; PA006 archived;
--                  PA001 busy and on_busy = 'reject'; PA004 the key was used with another payload.
-- Never fenced. Safe to repeat with a key.
create function pgagent.enqueue_job(
  thread_id text, payload jsonb, queue text default 'default', priority integer default 0,
  delay interval default '0', config jsonb default '{}', idempotency_key text default null,
  max_attempts integer default 3, timeout interval default null,
  step_timeout interval default null, on_busy text default 'enqueue', trace_id text default null
)
returns table (job_id uuid, status text, enqueued boolean)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_service boolean := pgagent._is_service();
  v_tenant text := pgagent._tenant();
  v_now timestamptz;
  s pgagent.agent_sessions;
  v_fingerprint bytea;
  v_first record;
begin
  perform pgagent._check_job(
    enqueue_job.thread_id, enqueue_job.payload, enqueue_job.queue, enqueue_job.priority,
    enqueue_job.delay, enqueue_job.config, enqueue_job.idempotency_key, enqueue_job.max_attempts,
    enqueue_job.timeout, enqueue_job.step_timeout, enqueue_job.trace_id
  );
  if enqueue_job.on_busy is null or enqueue_job.on_busy not in ('enqueue', 'reject') then
    perform pgagent._raise(
      'PA008', 'on_busy must be enqueue or reject',
      format('on_busy: %s', coalesce(left(enqueue_job.on_busy, 100), 'null'))
    );
  end if;

  if enqueue_job.idempotency_key is not null then
    perform pgagent._begin_session(enqueue_job.thread_id, v_tenant);
    v_fingerprint := pgagent._fingerprint(
      jsonb_build_array(enqueue_job.payload, enqueue_job.config)
    );
    select j.job_id, j.status, j.fingerprint into v_first
    from pgagent.agent_jobs as j
    where j.thread_id = enqueue_job.thread_id
      and j.idempotency_key = enqueue_job.idempotency_key;
    if found then
      if v_first.fingerprint <> v_fingerprint then
        perform pgagent._raise(
          'PA004', 'the idempotency key was used before with another payload',
          format(
            'thread_id: %s, job_id: %s, key: %s',
            enqueue_job.thread_id, v_first.job_id, enqueue_job.idempotency_key
          ),
          'Take a new key for another run.'
        );
      end if;
      return query select v_first.job_id, v_first.status, false;
      return;
    end if;
  end if;

  -- An UPDATE and not a lock: with a lock alone, a REPEATABLE READ transaction that ends the
  -- running job could miss this one and leave it WAITING for ever.
  job_id := pgagent._new_id(enqueue_job.thread_id);
  loop
    update pgagent.agent_sessions as a
    set
      last_job_seq = a.last_job_seq + 1,
      last_event_seq = a.last_event_seq + 1,
      active_job_id = coalesce(a.active_job_id, enqueue_job.job_id),
      status = case when a.active_job_id is null then 'IDLE' else a.status end,
      completed_at = null,
      last_activity_at = greatest(a.last_activity_at, pgagent._now()),
      active_hour = date_bin('1 hour', greatest(a.last_activity_at, pgagent._now()), 'epoch')
    where a.thread_id = enqueue_job.thread_id
      and a.status not in ('DELETED', 'ARCHIVED')
      and (v_service or a.user_id = v_tenant)
    returning a.* into s;
    exit when found;
    perform pgagent._begin_session(enqueue_job.thread_id, v_tenant);
  end loop;
  v_now := pgagent._now();

  if s.active_job_id <> enqueue_job.job_id then
    if enqueue_job.on_busy = 'reject' then
      perform pgagent._raise(
        'PA001', 'the thread is busy: another job is live',
        format('thread_id: %s, job_id: %s', s.thread_id, s.active_job_id),
        'Enqueue with on_busy => ''enqueue'', or cancel the other job.'
      );
    end if;
    if pgagent._step_back(s, v_now + enqueue_job.delay) then
      update pgagent.agent_sessions as a
      set active_job_id = enqueue_job.job_id
      where a.thread_id = enqueue_job.thread_id
      returning a.* into s;
    end if;
  end if;

  status := case s.active_job_id when enqueue_job.job_id then 'PENDING' else 'WAITING' end;
  insert into pgagent.agent_jobs (
    job_id, thread_id, seq, queue, payload, config, status, priority, available_at, max_attempts,
    timeout, step_timeout, idempotency_key, fingerprint, trace_id, created_at
  )
  values (
    enqueue_job.job_id, enqueue_job.thread_id, s.last_job_seq, enqueue_job.queue,
    enqueue_job.payload, enqueue_job.config, enqueue_job.status, enqueue_job.priority,
    v_now + enqueue_job.delay, enqueue_job.max_attempts, enqueue_job.timeout,
    enqueue_job.step_timeout, enqueue_job.idempotency_key, v_fingerprint, enqueue_job.trace_id,
    v_now
  );
  perform pgagent._log_event(
    enqueue_job.thread_id, s.last_event_seq, 'job_enqueued', null, enqueue_job.job_id, null,
    enqueue_job.trace_id
  );
  if enqueue_job.delay = interval '0' then
    perform pgagent._wake(enqueue_job.queue, enqueue_job.status, enqueue_job.job_id);
  end if;
  enqueued := true;
  return next;
end
$$;

comment on function pgagent.enqueue_job(
  text, jsonb, text, integer, interval, jsonb, text, integer, interval, interval, text, text
) is
'Enqueues a run on a thread: PENDING, or WAITING behind the thread''s other jobs.';

-- The argument checks of enqueue_job, and so of start_run, which calls it.
create function pgagent._check_job(
  thread_id text, payload jsonb, queue text, priority integer, delay interval, config jsonb,
  idempotency_key text, max_attempts integer, timeout interval, step_timeout interval,
  trace_id text
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
end
$$;

comment on function pgagent._check_job(
  text, jsonb, text, integer, interval, jsonb, text, integer, interval, interval, text
) is
'Raises PA008 or PA009 when a job cannot be enqueued as described.';

-- Lets the thread's live job step back behind a new one that is due earlier. Only a job that was
-- never claimed, and so is neither leased nor paused, and that is not due itself does.
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
begin
  update pgagent.agent_jobs as j
  set status = 'WAITING'
  where j.job_id = session.active_job_id
    and j.fencing_token is null
    and j.available_at > greatest(due, pgagent._now());
  return found;
end
$$;

comment on function pgagent._step_back(pgagent.agent_sessions, timestamptz) is
'Makes a delayed job that was never started wait behind one that is due earlier.';
