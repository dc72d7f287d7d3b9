-- The events of a thread after one that is known, oldest first: what a reader that follows a thread
-- asks again and again. Numbers come in commit order, so none is missed.
--
-- thread_id:  the thread.
-- after_seq:  number of the last event that is known; 0 for all.
-- max_events: how many at most.
-- Returns:    one row an event, or none. A deleted thread has none.
-- Reads under row security; locks nothing. A page is one descent of session_events_pkey.
create function pgagent.events_since(
  thread_id text, after_seq bigint default 0, max_events integer default 1000
)
returns table (
  seq bigint, kind text, data jsonb, job_id uuid, attempt integer, trace_id text,
  created_at timestamptz
)
language sql
stable
begin atomic
  select e.seq, e.kind, e.data, e.job_id, e.attempt, e.trace_id, e.created_at
  from pgagent.session_events as e
  where e.thread_id = events_since.thread_id and e.seq > coalesce(events_since.after_seq, 0)
  order by e.seq
  limit greatest(events_since.max_events, 0);
end;

comment on function pgagent.events_since(text, bigint, integer) is
'The events of a thread after one that is known, oldest first.';
