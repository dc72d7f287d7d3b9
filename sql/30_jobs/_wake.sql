-- Tells whoever listens that a job became claimable, or that it ended or waits for people. A hint:
-- nothing depends on it, and it is off by default.
--
-- NOTIFY takes a lock over the whole server from before the commit is flushed until after, so that
-- no two commits share a flush: with 16 clients 99 enqueued a second against 855. So one
-- transaction a queue at a time has a hint to send, and those beside it leave theirs out: whoever
-- is woken looks twice. PostgreSQL sends the same words of one transaction once: one notification
-- a queue, not one a job.
--
-- queue, status, job_id: of the job, as it is now. Delayed jobs are left to the polling.
-- Setting notify: off; jobs (channel pgagent_ready, payload the queue); all (also pgagent_ended,
-- payload the job_id).
create function pgagent._wake(queue text, status text, job_id uuid)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_notify text;
begin
  -- No row, no word: what holds without a choice of the site.
  select s.value into v_notify from pgagent.settings as s where s.name = 'notify';
  if v_notify is null or v_notify = 'off' then
    return;
  end if;
  if _wake.status = 'PENDING' then
    if pg_try_advisory_xact_lock(hashtextextended('pgagent_ready ' || _wake.queue, 0)) then
      perform pg_notify('pgagent_ready', _wake.queue);
    end if;
  elsif v_notify = 'all' and (pgagent._is_final(_wake.status) or _wake.status = 'AWAITING_HUMAN')
  then
    perform pg_notify('pgagent_ended', _wake.job_id::text);
  end if;
end
$$;

comment on function pgagent._wake(text, text, uuid) is
'Sends the hint that a job became claimable, ended or waits for people, when the setting notify '
'says so.';
