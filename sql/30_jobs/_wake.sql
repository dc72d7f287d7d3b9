-- Tells whoever listens that a job became claimable, or that it ended or waits for people. A hint:
-- nothing depends on it, and it is off by default, because NOTIFY takes a lock over the whole
-- server from before the commit is flushed until after. PostgreSQL sends one notification for the
-- same words in one transaction: one a queue, not one a job.
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
    perform pg_notify('pgagent_ready', _wake.queue);
  elsif v_notify = 'all' and (pgagent._is_final(_wake.status) or _wake.status = 'AWAITING_HUMAN')
  then
    perform pg_notify('pgagent_ended', _wake.job_id::text);
  end if;
end
$$;

comment on function pgagent._wake(text, text, uuid) is
'Sends the hint that a job became claimable, ended or waits for people, when the setting notify '
'says so.';
