-- Answers a paused run by interrupt id. It goes on when the last of its questions is answered.
-- An answer is a decision: decide_approval takes them one by one, with who and why.
--
-- job_id:  the run, AWAITING_HUMAN.
-- answers: a JSON object, interrupt id to answer (at most 1 MB). To actions that are to be
--          reviewed: {"decisions": [{"type": "approve"}, ...]}, one an action. To a breakpoint:
--          true. To anything else: what the interrupt is to return.
-- Returns: the status of the job, and how many questions are still open. The same answers again are
--          answered the same way. When the thread went on since the pause, its questions are void:
--          the run goes on from where the thread stands and asks again; '{}' will do then.
-- Locks:   the session, then the job.
-- Raises:  PA008 bad arguments, an id that is not asked, or an answer that does not fit the
--          question; PA009 too large; PA003 no such job; PA011 somebody else's; PA005 the run is
--          not paused, the question was answered otherwise, or too late.
-- Never fenced. Safe to repeat.
create function pgagent.resume_job(job_id uuid, answers jsonb)
returns table (status text, open_questions bigint)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  j pgagent.agent_jobs;
  v_interrupt_id text;
  r record;
begin
  perform pgagent._check_object('answers', resume_job.answers, 'payload');
  j := pgagent._enter_job(resume_job.job_id);

  if resume_job.answers = '{}' and (
    j.status <> 'AWAITING_HUMAN' or not pgagent._head_moved(j)
  ) then
    perform pgagent._raise(
      'PA008', 'answers must hold at least one answer', '', 'Pass {interrupt id: answer}.'
    );
  end if;
  if resume_job.answers <> '{}' and not exists (
    select from jsonb_each(resume_job.answers) as a
    where j.resume -> a.key is distinct from a.value
  ) then
    status := j.status;
    open_questions := pgagent._open_questions(j.waiting_for, j.resume);
    return next;
    return;
  end if;
  if j.status <> 'AWAITING_HUMAN' then
    perform pgagent._raise(
      'PA005', format('the job is %s, not AWAITING_HUMAN', j.status),
      format('job_id: %s', j.job_id),
      'Only a paused job can be answered.'
    );
  end if;
  if pgagent._head_moved(j) then
    perform pgagent._void_approvals(j.job_id, 'SUPERSEDED');
    perform pgagent._resume(j, '{"superseded": true}');
    return query select 'PENDING', 0::bigint;
    return;
  end if;
  select k.key into v_interrupt_id
  from jsonb_object_keys(resume_job.answers) as k (key)
  where not j.waiting_for ? k.key
  limit 1;
  if found then
    perform pgagent._raise(
      'PA008', 'the job does not ask this',
      format('job_id: %s, interrupt id: %s', j.job_id, left(v_interrupt_id, 255)),
      'agent_jobs.waiting_for holds the questions by interrupt id.'
    );
  end if;
  select k.key into v_interrupt_id
  from jsonb_object_keys(resume_job.answers) as k (key)
  where j.resume ? k.key and j.resume -> k.key <> resume_job.answers -> k.key
  limit 1;
  if found then
    perform pgagent._raise(
      'PA005', 'the question was answered before, otherwise',
      format('job_id: %s, interrupt id: %s', j.job_id, left(v_interrupt_id, 255)),
      'The first answer stands: get_job shows it.'
    );
  end if;

  for r in
    select a.key, a.value
    from jsonb_each(resume_job.answers) as a
    where not coalesce(j.resume, '{}') ? a.key
  loop
    perform pgagent._answer_question(j, r.key, r.value);
  end loop;
  select b.status, pgagent._open_questions(b.waiting_for, b.resume) into status, open_questions
  from pgagent.agent_jobs as b
  where b.job_id = j.job_id;
  return next;
end
$$;

comment on function pgagent.resume_job(uuid, jsonb) is
'Answers a paused run by interrupt id; it goes on when the last question is answered.';

create function pgagent._open_questions(waiting_for jsonb, answers jsonb)
returns bigint
language sql
immutable
parallel safe
begin atomic
  select count(*)
  from jsonb_object_keys(coalesce(_open_questions.waiting_for, '{}')) as q (key)
  where not coalesce(_open_questions.answers, '{}') ? q.key;
end;

comment on function pgagent._open_questions(jsonb, jsonb) is
'How many questions have no answer yet.';
