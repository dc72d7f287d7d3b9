-- Ends the delivery that a token stands for. Every way a delivery can end passes through here: the
-- owner's own calls, a lease that ran out, a forced cancellation.
--
-- job_id, fencing_token: the delivery.
-- outcome:    as in job_attempts: completed, failed, released, paused, lost, timed_out, cancelled.
-- new_status: where the job goes, unless a cancellation was asked for: then it ends CANCELLED; or
--             PENDING would mean until after its deadline: then it ends TIMED_OUT; or it has a
--             single delivery: then it ends FAILED.
-- delay:      for PENDING: not claimed before it has passed.
-- result, error, waiting_for: stored with it.
-- promote:    false when the caller gives the place of an ended job away itself.
-- Returns:    the status of the job now; null when the token does not own the thread for this job.
-- Locks:      the session (its UPDATE carries the fence), the job, the next waiting job.
create function pgagent._end_delivery(
  job_id uuid, fencing_token bigint, outcome text, new_status text, delay interval default '0',
  result jsonb default null, error jsonb default null, waiting_for jsonb default null,
  promote boolean default true
)
returns text
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  s record;
  v_next text;
  v_status text;
  v_queue text;
begin
  -- 1. The thread is free from here on, and its row says so as if the job went where it should.
  update pgagent.agent_sessions as a
  set
    owner_token = null,
    active_job_id = case when not pgagent._is_final(new_status) then a.active_job_id end,
    status = pgagent._session_status(new_status),
    completed_at = case
      when pgagent._session_status(new_status) in ('COMPLETED', 'FAILED') then pgagent._now()
    end,
    last_event_seq = a.last_event_seq + 1,
    last_activity_at = greatest(a.last_activity_at, pgagent._now()),
    active_hour = date_bin('1 hour', greatest(a.last_activity_at, pgagent._now()), 'epoch')
  from pgagent.agent_jobs as j
  where j.job_id = _end_delivery.job_id
    and a.thread_id = any(array[j.thread_id])
    and a.active_job_id = _end_delivery.job_id
    and a.owner_token = _end_delivery.fencing_token
  -- The last five stay as they are as long as the delivery lasts.
  returning
    a.thread_id, a.progress_step, a.last_event_seq, j.lease_owner, j.claimed_at, j.attempt,
    j.deadline_at, j.single_delivery
  into s;
  if not found then
    return null;
  end if;
  v_now := pgagent._now();
  v_next := case
    when new_status = 'PENDING' and s.single_delivery then 'FAILED'
    when new_status = 'PENDING' and s.deadline_at <= v_now + delay then 'TIMED_OUT' else new_status
  end;

  -- 2. The job, its attempt row and its event.
  with ended as (
    update pgagent.agent_jobs as j
    set
      status = case when j.cancel_requested_at is null then v_next else 'CANCELLED' end,
      lease_owner = null,
      lease_expires_at = null,
      claimed_at = null,
      step_deadline_at = null,
      deadline_at = case when outcome <> 'paused' then j.deadline_at end,
      -- Progress and pauses begin the count anew; a planned release gives the attempt back.
      attempt = case
        when outcome = 'paused' or (
          v_next = 'PENDING'
          and pgagent._has_progressed(s.progress_step, j.progress_step)
        ) then 0
        when outcome = 'released' then j.attempt - 1
        else j.attempt
      end,
      progress_step = greatest(j.progress_step, s.progress_step),
      available_at = case when v_next = 'PENDING' then v_now + delay else j.available_at end,
      waiting_for = case
        when j.cancel_requested_at is null then _end_delivery.waiting_for
      end,
      -- What is asked again is open again.
      resume = case
        when outcome = 'paused'
          then j.resume - array(select jsonb_object_keys(_end_delivery.waiting_for))
        else j.resume
      end,
      result = case when j.cancel_requested_at is null then _end_delivery.result end,
      error = coalesce(_end_delivery.error, j.error),
      completed_at = case
        when j.cancel_requested_at is not null or pgagent._is_final(v_next) then v_now
      end
    where j.job_id = _end_delivery.job_id
    returning j.*
  ),
  kept as (
    insert into pgagent.job_attempts (
      job_id, token, thread_id, attempt, worker, started_at, ended_at, outcome, job_status, error
    )
    select
      e.job_id, _end_delivery.fencing_token, e.thread_id, s.attempt, s.lease_owner, s.claimed_at,
      v_now, case when e.status = 'CANCELLED' then 'cancelled' else outcome end, e.status,
      _end_delivery.error
    from ended as e
  ),
  logged as (
    insert into pgagent.session_events (
      thread_id, seq, kind, data, job_id, attempt, trace_id, created_at
    )
    select
      e.thread_id, s.last_event_seq,
      case
        when e.status = 'CANCELLED' then 'job_cancelled'
        when e.status = 'TIMED_OUT' then 'job_timed_out'
        when e.status = 'FAILED' and outcome <> 'failed' then 'delivery_failed'
        else 'job_' || outcome
      end,
      nullif(jsonb_strip_nulls(jsonb_build_object(
        'status', e.status, 'error', _end_delivery.error, 'waiting_for', e.waiting_for,
        'by', case when e.status = 'CANCELLED' then e.cancelled_by end,
        'reason', case when e.status = 'CANCELLED' then e.cancel_reason end
      )), '{}'),
      e.job_id, s.attempt, e.trace_id, v_now
    from ended as e
  )
  select e.status, e.queue into v_status, v_queue from ended as e;

  -- 3. The place: kept by a live job, else given to the next one that waits.
  if promote and pgagent._is_final(v_status) then
    perform pgagent._promote(s.thread_id, v_status, new_status);
  end if;
  if v_status <> 'PENDING' or delay = interval '0' then
    perform pgagent._wake(v_queue, v_status, _end_delivery.job_id);
  end if;
  return v_status;
end
$$;

comment on function pgagent._end_delivery(
  uuid, bigint, text, text, interval, jsonb, jsonb, jsonb, boolean
) is
'Ends the delivery of a token: job, attempt, event and the thread''s place, in one step.';

-- Answers a call about a delivery that is over already: with what the first such call was told, or
-- with the refusal.
create function pgagent._ended_before(job_id uuid, fencing_token bigint, outcome text)
returns text
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_attempt pgagent.job_attempts;
  v_job pgagent.agent_jobs;
begin
  select * into v_attempt
  from pgagent.job_attempts as t
  where t.job_id = _ended_before.job_id and t.token = _ended_before.fencing_token;
  if found and v_attempt.outcome in (_ended_before.outcome, 'cancelled') then
    return v_attempt.job_status;
  end if;

  select * into v_job from pgagent.agent_jobs as j where j.job_id = _ended_before.job_id;
  if not found then
    perform pgagent._raise(
      'PA003', 'no such job', format('job_id: %s', _ended_before.job_id),
      'Its thread may have been deleted: stop this run.'
    );
  end if;
  perform pgagent._raise_stale(v_job.thread_id, _ended_before.fencing_token, v_job.fencing_token);
  return null;
end
$$;

comment on function pgagent._ended_before(uuid, bigint, text) is
'What the first call about an ended delivery was answered, else PA002 or PA003.';

-- The argument checks of every call that a worker makes about its delivery.
create function pgagent._check_delivery(job_id uuid, fencing_token bigint)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._require_service();
  if job_id is null or fencing_token is null then
    perform pgagent._raise(
      'PA008', 'job_id and fencing_token are required',
      format('job_id: %s, fencing_token: %s', job_id, fencing_token),
      'claim_job and start_run return both.'
    );
  end if;
end
$$;

comment on function pgagent._check_delivery(uuid, bigint) is
'Raises PA008 without a job and token, PA011 for anybody but a service role.';
