-- Writes one event with a number that its caller took from the session row.
create function pgagent._log_event(
  thread_id text, seq bigint, kind text, data jsonb default null,
  job_id uuid default null, attempt integer default null, trace_id text default null
)
returns void
language sql
volatile
begin atomic
  insert into pgagent.session_events (thread_id, seq, kind, data, job_id, attempt, trace_id)
  values (thread_id, seq, kind, data, job_id, attempt, trace_id);
end;

comment on function pgagent._log_event(text, bigint, text, jsonb, uuid, integer, text) is
'Writes one event under a number taken from the session row.';
