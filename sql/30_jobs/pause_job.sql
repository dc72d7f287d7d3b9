-- Pauses a run until a person has answered. It keeps its place on the thread and holds no lease,
-- for as long as that takes.
--
-- job_id, fencing_token: the delivery, as claimed.
-- waiting_for: what is asked: a JSON object, interrupt id to question (at most 1 MB). Each becomes
--              an approval, with an event, in this transaction; see pending_approvals. So do tool
--              calls that asked by request_approval and whose own interrupt another one hid.
-- timeout:     how long people have; then the run ends as TIMED_OUT. For ever by default.
-- response_schemas: JSON Schemas by interrupt id: what is answered there must fit.
-- Returns: AWAITING_HUMAN; or CANCELLED when a cancellation was asked for meanwhile.
-- Locks:   the session, the job, the thread's next waiting job.
-- Raises:  PA008, PA009 bad arguments; PA011 not a service role; PA003 no such job; PA002 the
--          delivery is over and ended otherwise.
-- Safe to repeat: yes, with the same token.
create function pgagent.pause_job(
  job_id uuid, fencing_token bigint, waiting_for jsonb, timeout interval default null,
  response_schemas jsonb default null
)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_waiting_for jsonb;
  v_status text;
begin
  perform pgagent._check_delivery(job_id, fencing_token);
  perform pgagent._check_object('waiting_for', waiting_for, 'payload');
  if waiting_for = '{}' then
    perform pgagent._raise(
      'PA008', 'waiting_for must name at least one question', '', 'Pass {interrupt id: question}.'
    );
  end if;
  perform pgagent._check_name('an interrupt id', q.key)
  from jsonb_object_keys(waiting_for) as q (key);
  if timeout is not null then
    perform pgagent._check_interval('timeout', timeout, above_zero => true);
  end if;
  if response_schemas is not null then
    perform pgagent._check_object('response_schemas', response_schemas, 'payload');
  end if;
  v_waiting_for := pgagent._with_hidden_questions(job_id, waiting_for);
  v_status := pgagent._end_delivery(
    job_id, fencing_token, 'paused', 'AWAITING_HUMAN', waiting_for => v_waiting_for
  );
  if v_status = 'AWAITING_HUMAN' then
    perform pgagent._ask(job_id, v_waiting_for, timeout, response_schemas);
  end if;
  return coalesce(v_status, pgagent._ended_before(job_id, fencing_token, 'paused'));
end
$$;

comment on function pgagent.pause_job(uuid, bigint, jsonb, interval, jsonb) is
'Pauses a run until people have decided what it asks: decide_approval, or resume_job for answers.';
