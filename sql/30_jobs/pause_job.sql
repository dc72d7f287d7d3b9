-- Pauses a run until a person has answered. It keeps its place on the thread and holds no lease,
-- for as long as that takes.
--
-- job_id, fencing_token: the delivery, as claimed.
-- waiting_for: what is asked: a JSON object, interrupt id to question (at most 1 MB).
-- Returns: AWAITING_HUMAN; or CANCELLED when a cancellation was asked for meanwhile.
-- Locks:   the session, the job, the thread's next waiting job.
-- Raises:  PA008, PA009 bad arguments; PA011 not a service role; PA003 no such job; PA002 the
--          delivery is over and ended otherwise.
-- Safe to repeat: yes, with the same token.
create function pgagent.pause_job(job_id uuid, fencing_token bigint, waiting_for jsonb)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_delivery(job_id, fencing_token);
  perform pgagent._check_object('waiting_for', waiting_for, 'payload');
  if waiting_for = '{}' then
    perform pgagent._raise(
      'PA008', 'waiting_for must name at least one question', '', 'Pass {interrupt id: question}.'
    );
  end if;
  return coalesce(
    pgagent._end_delivery(
      job_id, fencing_token, 'paused', 'AWAITING_HUMAN', waiting_for => waiting_for
    ),
    pgagent._ended_before(job_id, fencing_token, 'paused')
  );
end
$$;

comment on function pgagent.pause_job(uuid, bigint, jsonb) is
'Pauses a run until a person has answered; resume_job lets it go on.';
