-- Ends the thread's live job in favour of a new one: on_busy = 'interrupt' or 'rollback'. Whatever
-- state it is in, and whether or not its worker lives: its token is stale from here on.
--
-- successor: the new job, which takes the place.
-- how:       interrupt or rollback.
-- Locks:     nothing more: the caller has updated the session; the live job.
-- Raises:    PA005 rollback, and the state before the live run is not stored any more; or the run
--            is running, and the transaction is not READ COMMITTED.
create function pgagent._supersede(session pgagent.agent_sessions, successor uuid, how text)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  j pgagent.agent_jobs;
begin
  select b.* into j
  from pgagent.agent_jobs as b
  where b.job_id = session.active_job_id
  for no key update of b;
  -- Task writes share the session and do not change it: an old snapshot misses those that were stored
  -- since, and nothing would say so.
  if how = 'rollback' and j.status = 'IN_PROGRESS'
    and current_setting('transaction_isolation') <> 'read committed' then
    perform pgagent._raise(
      'PA005', 'a running job is not rolled back from an old snapshot',
      format('job_id: %s, isolation: %s', j.job_id, current_setting('transaction_isolation')),
      'Use a READ COMMITTED transaction.'
    );
  end if;
  perform pgagent._cancel(
    j, coalesce(pgagent._tenant(), pgagent._caller()),
    format('%s by job %s', case how when 'rollback' then 'rolled back' else 'interrupted' end,
    successor),
    promote => false
  );
  update pgagent.tool_calls as t
  set
    status = 'IN_DOUBT',
    error = jsonb_build_object(
      'type', 'interrupted', 'message', 'its run was ended before it was reported'
    )
  where t.thread_id = j.thread_id and t.job_id = j.job_id and t.status = 'STARTED';
  if how = 'rollback' then
    perform pgagent._roll_back(j);
  else
    perform pgagent._answer_tool_calls(j);
  end if;
end
$$;

comment on function pgagent._supersede(pgagent.agent_sessions, uuid, text) is
'Ends the thread''s live job in favour of a new one, keeping its work or taking it back.';

-- Answers the tool calls in the conversation that a run has left open: a model refuses a history in
-- which a call has no result.
create function pgagent._answer_tool_calls(job pgagent.agent_jobs)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  with answered as (
    insert into pgagent.session_messages (
      thread_id, seq, role, content, tool_call_id, turn, job_id
    )
    select
      m.thread_id, s.last_message_seq + row_number() over (order by m.seq), 'tool_result',
      to_jsonb('The run was interrupted before this call had a result.'::text), m.tool_call_id,
      m.turn, m.job_id
    from pgagent.session_messages as m
    join pgagent.agent_sessions as s on s.thread_id = m.thread_id
    where m.thread_id = job.thread_id
      and m.job_id = job.job_id
      and m.role = 'tool_call'
      and m.retracted_at is null
      and not exists (
        select from pgagent.session_messages as r
        where r.thread_id = m.thread_id
          and r.seq > m.seq
          and r.role = 'tool_result'
          and r.tool_call_id = m.tool_call_id
          and r.retracted_at is null
      )
    returning 1
  )

  update pgagent.agent_sessions as a
  set last_message_seq = a.last_message_seq + (select count(*) from answered)
  where a.thread_id = job.thread_id;
end
$$;

comment on function pgagent._answer_tool_calls(pgagent.agent_jobs) is
'Answers the tool calls in the conversation that a run has left open.';
