-- Takes the answer that resume_job was given to one question of a paused run.
--
-- asked_as: the interrupt, or the key of a tool call.
-- Raises:   PA008 the answer does not fit the question; else as _decide.
create function pgagent._answer_question(job pgagent.agent_jobs, asked_as text, answer jsonb)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_by text := coalesce(pgagent._tenant(), pgagent._caller());
  v_detail text := format('job_id: %s, interrupt id: %s', job.job_id, asked_as);
  v_given jsonb;
  a pgagent.approvals;
  d record;
begin
  for a in
    select p.*
    from pgagent.approvals as p
    where p.job_id = job.job_id
      and p.token = job.fencing_token
      and coalesce(p.interrupt_id, p.tool_call_key) = asked_as
    order by p.position
  loop
    if a.action is not null then
      v_given := case
        when pgagent._asks_for_a_decision(a.question) then answer
        else answer -> 'decisions' -> a.position
      end;
      select *
      into d
      from jsonb_to_record(case jsonb_typeof(v_given) when 'object' then v_given else '{}' end)
        as x (type text, edited_action jsonb, message jsonb);
      if pgagent._status_of(d.type) is null or (
        not pgagent._asks_for_a_decision(a.question)
        and answer -> 'decisions' -> jsonb_array_length(a.question -> 'action_requests')
        is not null
      ) then
        perform pgagent._raise(
          'PA008',
          case
            when pgagent._asks_for_a_decision(a.question)
              then 'the answer must be a decision, {"type": ...}'
            else 'the answer must be {"decisions": [{"type": ...}, ...]}, one for each action'
          end,
          v_detail, 'Types: approve, edit with edited_action, reject and respond with message.'
        );
      end if;
    elsif a.allowed = '{approve}' then
      if answer <> 'true' then
        perform pgagent._raise(
          'PA008', 'a breakpoint is answered with true', v_detail, 'cancel_job ends the run here.'
        );
      end if;
      select 'approve' as type, null::jsonb as edited_action, null::jsonb as message into d;
    else
      select 'respond' as type, null::jsonb as edited_action, answer as message into d;
    end if;
    if a.status = 'PENDING' then
      if d.type = 'reject' and d.message is not null then
        perform pgagent._check_name('message', d.message #>> '{}', 'reason');
      end if;
      perform pgagent._decide(
        a, d.type, d.edited_action, case d.type when 'respond' then d.message end,
        case d.type when 'reject' then d.message #>> '{}' end, v_by
      );
    else
      perform pgagent._check_decided(
        a, d.type, d.edited_action, case d.type when 'respond' then d.message end
      );
    end if;
  end loop;
  perform pgagent._settle(job, asked_as, answer);
end
$$;

comment on function pgagent._answer_question(pgagent.agent_jobs, text, jsonb) is
'Takes the answer that resume_job was given to one question.';

-- Whether the thread of a paused run went on since it paused: what it asks is void then.
create function pgagent._head_moved(job pgagent.agent_jobs)
returns boolean
language sql
stable
begin atomic
  select coalesce(bool_or(a.checkpoint_id is distinct from s.head_checkpoint_id), false)
  from pgagent.agent_sessions as s
  join pgagent.approvals as a on a.job_id = job.job_id and a.status = 'PENDING'
  where s.thread_id = job.thread_id;
end;

comment on function pgagent._head_moved(pgagent.agent_jobs) is
'Whether the thread of a paused run went on since it paused.';
