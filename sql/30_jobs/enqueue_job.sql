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
-- on_busy:         while another job of the thread is live
--                    enqueue    wait behind the thread's other jobs
--                    reject     raise PA001
--                    interrupt  end the live job, keep its work, and come next
--                    rollback   end the live job, take its work back, and come next; see _roll_back
-- trace_id:        kept on the job and its events.
-- retry_base:      wait before the first retry; each further one doubles it. By default that of the
--                  queue, else the setting of that name.
-- retry_cap:       the longest wait between two retries.
-- traceparent:     of W3C Trace Context, kept for the worker; its trace is the default of trace_id.
-- Returns:         the job, its status (PENDING, or WAITING behind another), and whether this call
--                  enqueued it.
-- Locks:           the session, then the thread's live job when that is to step back or to end.
-- Raises:          PA008, PA009 bad arguments; PA011 somebody else's thread; PA006 archived;
--                  PA001 busy and on_busy = 'reject'; PA004 the key was used with another payload;
--                  PA005 on_busy = 'rollback' and the state before the live run is not stored, or
--                  it is running and the transaction is not READ COMMITTED.
-- Never fenced. Safe to repeat with a key. Without one, a second call interrupts the first's job.
create function pgagent.enqueue_job(
  thread_id text, payload jsonb, queue text default 'default', priority integer default 0,
  delay interval default '0', config jsonb default '{}', idempotency_key text default null,
  max_attempts integer default 3, timeout interval default null,
  step_timeout interval default null, on_busy text default 'enqueue', trace_id text default null,
  retry_base interval default null, retry_cap interval default null,
  traceparent text default null
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
  v_is_free boolean;
begin
  perform pgagent._check_job(
    enqueue_job.thread_id, enqueue_job.payload, enqueue_job.queue, enqueue_job.priority,
    enqueue_job.delay, enqueue_job.config, enqueue_job.idempotency_key, enqueue_job.max_attempts,
    enqueue_job.timeout, enqueue_job.step_timeout, enqueue_job.trace_id, enqueue_job.retry_base,
    enqueue_job.retry_cap, enqueue_job.traceparent
  );
  trace_id := coalesce(enqueue_job.trace_id, pgagent._trace_of(enqueue_job.traceparent));
  if enqueue_job.on_busy is null
    or enqueue_job.on_busy not in ('enqueue', 'reject', 'interrupt', 'rollback') then
    perform pgagent._raise(
      'PA008', 'on_busy must be enqueue, reject, interrupt or rollback',
      format('on_busy: %s', coalesce(left(enqueue_job.on_busy, 100), 'null'))
    );
  end if;

  if enqueue_job.idempotency_key is not null then
    perform pgagent._begin_session(enqueue_job.thread_id, v_tenant);
    v_fingerprint := pgagent._job_fingerprint(enqueue_job.payload, enqueue_job.config);
    select j.job_id, j.status, j.fingerprint into v_first
    from pgagent.agent_jobs as j
    where j.thread_id = enqueue_job.thread_id
      and j.idempotency_key = enqueue_job.idempotency_key;
    if found then
      if v_first.fingerprint <> v_fingerprint then
        perform pgagent._raise_error(pgagent._key_error(
          enqueue_job.thread_id, v_first.job_id, enqueue_job.idempotency_key
        ));
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

  perform pgagent._log_event(
    enqueue_job.thread_id, s.last_event_seq, 'job_enqueued', null, enqueue_job.job_id, null,
    enqueue_job.trace_id
  );

  if s.active_job_id <> enqueue_job.job_id then
    case enqueue_job.on_busy
      when 'reject' then
        perform pgagent._raise_error(pgagent._busy_error(s.thread_id, s.active_job_id));
      when 'enqueue' then
        v_is_free := pgagent._step_back(s, v_now + enqueue_job.delay);
      else
        perform pgagent._supersede(s, enqueue_job.job_id, enqueue_job.on_busy);
        v_is_free := true;
    end case;
    if v_is_free then
      update pgagent.agent_sessions as a
      set active_job_id = enqueue_job.job_id, status = 'IDLE', completed_at = null
      where a.thread_id = enqueue_job.thread_id
      returning a.* into s;
    end if;
  end if;

  status := case s.active_job_id when enqueue_job.job_id then 'PENDING' else 'WAITING' end;
  insert into pgagent.agent_jobs (
    job_id, thread_id, seq, queue, payload, config, status, priority, available_at, max_attempts,
    timeout, step_timeout, idempotency_key, fingerprint, trace_id, traceparent,
    retry_base, retry_cap, created_at
  )
  values (
    enqueue_job.job_id, enqueue_job.thread_id, s.last_job_seq, enqueue_job.queue,
    enqueue_job.payload, enqueue_job.config, enqueue_job.status, enqueue_job.priority,
    v_now + enqueue_job.delay, enqueue_job.max_attempts, enqueue_job.timeout,
    enqueue_job.step_timeout, enqueue_job.idempotency_key, v_fingerprint, enqueue_job.trace_id,
    enqueue_job.traceparent, enqueue_job.retry_base, enqueue_job.retry_cap, v_now
  );
  if enqueue_job.delay = interval '0' then
    perform pgagent._wake(enqueue_job.queue, enqueue_job.status, enqueue_job.job_id);
  end if;
  enqueued := true;
  return next;
end
$$;

comment on function pgagent.enqueue_job(
  text, jsonb, text, integer, interval, jsonb, text, integer, interval, interval, text, text,
  interval, interval, text
) is
'Enqueues a run on a thread: PENDING, or WAITING behind the thread''s other jobs.';
