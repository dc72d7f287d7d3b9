-- Gives the place of an ended job to the next that waits: among due jobs by priority, due time and
-- enqueue order; when none is due, to the one that is due first. The caller has updated the
-- session.
--
-- ended_as:  how the job ended.
-- shown_as:  what the session row says already; corrected when they differ.
create function pgagent._promote(thread_id text, ended_as text, shown_as text)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
  v_next pgagent.agent_jobs;
begin
  -- agent_jobs_waiting
  select j.* into v_next
  from pgagent.agent_jobs as j
  where j.thread_id = _promote.thread_id and j.status = 'WAITING'
  order by
    j.available_at > v_now,
    case when j.available_at <= v_now then j.priority end desc,
    j.available_at,
    j.seq
  limit 1;

  if found then
    update pgagent.agent_jobs as j
    set status = 'PENDING', available_at = greatest(j.available_at, v_now)
    where j.job_id = v_next.job_id
    returning j.* into v_next;
    if v_next.started_checkpoint_id is not null then
      perform pgagent._go_on(v_next.thread_id, v_next.job_id);
    end if;
    if v_next.available_at <= v_now then
      perform pgagent._wake(v_next.queue, 'PENDING', v_next.job_id);
    end if;
    update pgagent.agent_sessions as a
    set active_job_id = v_next.job_id, status = 'IDLE', completed_at = null
    where a.thread_id = _promote.thread_id;
    perform pgagent._log_job_event(v_next, 'job_promoted', null);
  elsif ended_as <> shown_as then
    update pgagent.agent_sessions as a
    set
      active_job_id = null,
      status = pgagent._session_status(ended_as),
      completed_at = case
        when pgagent._session_status(ended_as) in ('COMPLETED', 'FAILED') then v_now
      end
    where a.thread_id = _promote.thread_id;
  end if;
end
$$;

comment on function pgagent._promote(text, text, text) is
'Gives the place of an ended job to the thread''s next waiting job.';
