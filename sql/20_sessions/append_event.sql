-- Appends one event.
--
-- thread_id:     the thread.
-- kind:          what happened ('step_started', 'tool_call', ...).
-- data:          details (at most 1 MB).
-- fencing_token: the token of the run that writes.
-- trace_id:      the trace it belongs to; that of the run by default.
-- Returns:       its number in the thread.
-- Locks:         the session.
-- Raises:        PA008, PA009 bad arguments; PA003, PA006, PA011 the thread; PA001, PA002 the
--                fence.
-- Not safe to repeat: an event is a fact about one moment.
create function pgagent.append_event(
  thread_id text, kind text, data jsonb default null, fencing_token bigint default null,
  trace_id text default null
)
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_service boolean := pgagent._is_service();
  v_tenant text := pgagent._tenant();
  v_seq bigint;
  v_job pgagent.agent_jobs;
begin
  perform pgagent._check_name('kind', append_event.kind);
  perform pgagent._check_size('data', append_event.data, 'payload');
  if append_event.trace_id is not null then
    perform pgagent._check_name('trace_id', append_event.trace_id);
  end if;

  loop
    update pgagent.agent_sessions as a
    set
      last_event_seq = a.last_event_seq + 1,
      last_activity_at = greatest(a.last_activity_at, pgagent._now()),
      active_hour = date_bin('1 hour', greatest(a.last_activity_at, pgagent._now()), 'epoch')
    where a.thread_id = append_event.thread_id
      and a.status not in ('DELETED', 'ARCHIVED')
      and a.owner_token is not distinct from append_event.fencing_token
      and (v_service or a.user_id = v_tenant)
    returning
      a.last_event_seq,
      case when a.owner_token = append_event.fencing_token then a.active_job_id end
    into v_seq, v_job.job_id;
    exit when found;
    -- Names the refusal, or holds the row that has just become free.
    perform pgagent._enter(append_event.thread_id, append_event.fencing_token);
  end loop;

  if v_job.job_id is not null then
    select * into v_job from pgagent.agent_jobs as j where j.job_id = v_job.job_id;
  end if;
  perform pgagent._log_event(
    append_event.thread_id, v_seq, append_event.kind, append_event.data, v_job.job_id,
    v_job.attempt, coalesce(append_event.trace_id, v_job.trace_id)
  );
  return v_seq;
end
$$;

comment on function pgagent.append_event(text, text, jsonb, bigint, text) is
'Appends one event to a thread and returns its number.';
