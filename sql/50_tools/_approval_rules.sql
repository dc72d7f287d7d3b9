-- Small rules about approvals that more than one function needs.

-- The status that a decision leads to.
create function pgagent._status_of(decision text)
returns text
language sql
immutable
parallel safe
begin atomic
  select
    case decision
      when 'approve' then 'APPROVED'
      when 'edit' then 'EDITED'
      when 'reject' then 'REJECTED'
      when 'respond' then 'RESPONDED'
    end;
end;

comment on function pgagent._status_of(text) is
'The status that approve, edit, reject or respond leads to; null for anything else.';

-- A decision as the run is told: in the form of LangChain's human-in-the-loop middleware.
create function pgagent._decision(approval pgagent.approvals)
returns jsonb
language sql
stable
parallel safe
begin atomic
  select
    case approval.status
      when 'APPROVED' then jsonb_build_object('type', 'approve')
      when 'EDITED'
        then jsonb_build_object('type', 'edit', 'edited_action', approval.edited_action)
      when 'REJECTED'
        then jsonb_strip_nulls(jsonb_build_object('type', 'reject', 'message', approval.reason))
      when 'RESPONDED'
        then jsonb_build_object('type', 'respond', 'message', approval.response)
      when 'TIMED_OUT' then jsonb_build_object('type', 'timed_out')
    end;
end;

comment on function pgagent._decision(pgagent.approvals) is
'What a run is told about an approval; null while it is open or when it is void.';

-- Whether a question is in the form of LangChain's human-in-the-loop middleware: actions that are
-- to be reviewed, each with a name and arguments.
create function pgagent._asks_for_review(question jsonb)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select
    case
      when jsonb_typeof(question -> 'action_requests') = 'array'
        then
          question -> 'action_requests' <> '[]'
          and not exists (
            select from jsonb_array_elements(question -> 'action_requests') as r (request)
            where
              jsonb_typeof(r.request) <> 'object'
              or jsonb_typeof(r.request -> 'name') is distinct from 'string'
              or jsonb_typeof(r.request -> 'args') is distinct from 'object'
          )
      else false
    end;
end;

comment on function pgagent._asks_for_review(jsonb) is
'Whether a question lists actions to be reviewed, in the form of LangChain''s middleware.';

-- Whether a question is about one call, in the form of the same middleware that asks for each call
-- by itself: it is answered with one decision.
create function pgagent._asks_for_a_decision(question jsonb)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select coalesce(
    question -> 'type' = '"tool_approval"'
    and jsonb_typeof(question -> 'name') = 'string'
    and jsonb_typeof(question -> 'args') = 'object',
    false
  );
end;

comment on function pgagent._asks_for_a_decision(jsonb) is
'Whether a question is about one call, in the form of LangChain''s middleware.';

-- What one interrupt asks: one row an action that is to be reviewed, or one for the question as a
-- whole. A static breakpoint can only be approved: cancel the run to stop there.
create function pgagent._questions(interrupt_id text, question jsonb, response_schema jsonb)
returns table (place integer, action jsonb, args_schema jsonb, allowed text[])
language sql
immutable
parallel safe
begin atomic
  select
    (r.ordinal - 1)::integer,
    jsonb_build_object('name', r.request -> 'name', 'args', r.request -> 'args'),
    case when jsonb_typeof(c.config -> 'args_schema') = 'object' then c.config -> 'args_schema' end,
    coalesce(
      (
        select array_agg(d.name order by d.place)
        from unnest('{approve,edit,reject,respond}'::text[]) with ordinality as d (name, place)
        where c.config -> 'allowed_decisions' @> to_jsonb(d.name)
      ),
      case
        when c.config is null then '{approve,edit,reject,respond}'
        else '{approve,reject}'
      end::text[]
    )
  from
    jsonb_array_elements(
      case when pgagent._asks_for_review(question) then question -> 'action_requests' end
    ) with ordinality as r (request, ordinal)
  left join lateral (
    select e.config
    from
      jsonb_array_elements(
        case
          when
            jsonb_typeof(question -> 'review_configs') = 'array'
            then question -> 'review_configs'
        end
      ) with ordinality as e (config, ordinal)
    where e.config -> 'action_name' = r.request -> 'name'
    order by e.ordinal
    limit 1
  ) as c on true
  union all
  select
    0,
    case
      when pgagent._asks_for_a_decision(question)
        then jsonb_build_object('name', question -> 'name', 'args', question -> 'args')
    end,
    null,
    case
      when interrupt_id like 'breakpoint:%' then '{approve}'
      when pgagent._asks_for_a_decision(question)
        then
          coalesce(
            (
              select array_agg(d.name order by d.place)
              from
                unnest('{approve,edit,reject,respond}'::text[]) with ordinality as d (name, place)
              where
                jsonb_path_query_array(response_schema, '$.**.properties.type.const')
                @> to_jsonb(d.name)
            ),
            '{approve,edit,reject,respond}'
          )
      else '{approve,reject,respond}'
    end::text[]
  where not pgagent._asks_for_review(question);
end;

comment on function pgagent._questions(text, jsonb, jsonb) is
'What one interrupt asks: a row an action that is to be reviewed, else one.';

-- What an interrupt returns to the run once its questions are decided: the decisions, for those
-- who asked for a review; else the answer that was given, true for approve and false for reject.
create function pgagent._answer(job_id uuid, token bigint, asked_as text)
returns jsonb
language sql
stable
parallel safe
begin atomic
  select
    case
      when bool_or(pgagent._asks_for_a_decision(a.question))
        then (array_agg(pgagent._decision(a)))[1]
      when bool_or(a.action is not null)
        then
          jsonb_build_object('decisions', jsonb_agg(pgagent._decision(a) order by a.position))
      when bool_or(a.status = 'RESPONDED') then (array_agg(a.response))[1]
      else to_jsonb(bool_and(a.status = 'APPROVED'))
    end
  from pgagent.approvals as a
  where
    a.job_id = _answer.job_id
    and a.token = _answer.token
    and coalesce(a.interrupt_id, a.tool_call_key) = _answer.asked_as;
end;

comment on function pgagent._answer(uuid, bigint, text) is
'What an interrupt returns to the run once its questions are decided.';

-- Writes an event about an approval. The session is locked already.
create function pgagent._log_approval(approval pgagent.approvals, kind text, data jsonb)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_seq bigint;
begin
  update pgagent.agent_sessions as a
  set last_event_seq = a.last_event_seq + 1
  where a.thread_id = approval.thread_id
  returning a.last_event_seq into v_seq;
  perform pgagent._log_event(
    approval.thread_id, v_seq, _log_approval.kind,
    jsonb_strip_nulls(jsonb_build_object(
      'approval_id', approval.approval_id, 'checkpoint_id', approval.checkpoint_id,
      'interrupt_id', approval.interrupt_id
    )) || jsonb_strip_nulls(_log_approval.data),
    approval.job_id,
    trace_id => (
      select j.trace_id from pgagent.agent_jobs as j where j.job_id = approval.job_id
    )
  );
end
$$;

comment on function pgagent._log_approval(pgagent.approvals, text, jsonb) is
'Writes an event about an approval.';

-- Makes what a run still asks void, when the run ends or asks anew. The session is locked already.
create function pgagent._void_approvals(job_id uuid, new_status text default 'CANCELLED')
returns void
language sql
volatile
begin atomic
  update pgagent.approvals as a
  set status = new_status, decided_at = pgagent._now()
  where a.job_id = _void_approvals.job_id and a.status = 'PENDING';
end;

comment on function pgagent._void_approvals(uuid, text) is
'Makes the open approvals of a run void: CANCELLED or SUPERSEDED.';
