-- What happened to a job, in order: its events, and each delivery where it ended.
--
-- job_id:  the job.
-- Returns: one row an event (source 'event': seq, kind, data) or ended delivery (source 'attempt':
--          kind is its outcome, data its error, started_at when it was claimed, token, worker).
--          None when there is no such job.
-- Reads under row security; locks nothing. Reads the events of the thread, all of them.
create function pgagent.job_history(job_id uuid)
returns table (
  happened_at timestamptz, source text, kind text, attempt integer, seq bigint, token bigint,
  worker text, started_at timestamptz, data jsonb
)
language sql
stable
begin atomic
  select h.happened_at, h.source, h.kind, h.attempt, h.seq, h.token, h.worker, h.started_at, h.data
  from (
    select
      e.created_at as happened_at, 'event' as source, e.kind, e.attempt, e.seq, null as token,
      e.data ->> 'worker' as worker, null::timestamptz as started_at, e.data
    from pgagent.agent_jobs as j
    join pgagent.session_events as e on e.thread_id = j.thread_id and e.job_id = j.job_id
    where j.job_id = job_history.job_id
    union all
    select
      a.ended_at, 'attempt', a.outcome, a.attempt, null, a.token, a.worker, a.started_at, a.error
    from pgagent.job_attempts as a
    where a.job_id = job_history.job_id
  ) as h
  order by h.happened_at, h.seq nulls last;
end;

comment on function pgagent.job_history(uuid) is
'Every event and every ended delivery of a job, in order.';
