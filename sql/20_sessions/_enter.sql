-- Admits a write to a thread, or says why not. Every function that writes passes through here,
-- except the hot ones, whose own first UPDATE carries the same conditions and which come here only
-- to have the refusal named.
--
-- thread_id:     the thread.
-- fencing_token: the caller's token; null for a plain run.
-- fenced:        false for what people do: user messages, answers, cancellations.
-- Returns:       the session row, locked until the end of the transaction.
-- Locks:         the session (by an UPDATE, so that a REPEATABLE READ caller with an old snapshot
--                gets a serialization error and not an old answer).
-- Raises:        PA008, PA009 bad thread_id; PA003 no such thread; PA011 somebody else's;
--                PA006 deleted or archived; PA002 stale token; PA001 busy and no token given.
create function pgagent._enter(thread_id text, fencing_token bigint, fenced boolean default true)
returns pgagent.agent_sessions
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
begin
  perform pgagent._check_name('thread_id', _enter.thread_id, 'thread_id');
  update pgagent.agent_sessions as a
  set
    last_activity_at = greatest(a.last_activity_at, pgagent._now()),
    active_hour = date_bin('1 hour', greatest(a.last_activity_at, pgagent._now()), 'epoch')
  where a.thread_id = _enter.thread_id
  returning a.* into s;

  perform pgagent._admit(s, _enter.thread_id);
  if fenced and s.owner_token is distinct from fencing_token then
    if fencing_token is not null then
      perform pgagent._raise_stale(s.thread_id, fencing_token, s.fencing_token);
    end if;
    perform pgagent._raise(
      'PA001', 'the thread is busy: a run owns it',
      format('thread_id: %s, job_id: %s', s.thread_id, s.active_job_id),
      'Wait for the run, cancel it, or write with its fencing token.'
    );
  end if;
  return s;
end
$$;

comment on function pgagent._enter(text, bigint, boolean) is
'Locks a session for a write: checks caller, tombstone and fence, or raises the refusal.';

-- Locks a session for maintenance: as _enter without a fence, and it counts as no activity.
create function pgagent._hold(thread_id text)
returns pgagent.agent_sessions
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
begin
  perform pgagent._check_name('thread_id', _hold.thread_id, 'thread_id');
  select a.* into s
  from pgagent.agent_sessions as a
  where a.thread_id = _hold.thread_id
  for no key update;
  perform pgagent._admit(s, _hold.thread_id);
  return s;
end
$$;

comment on function pgagent._hold(text) is
'Locks a session for maintenance, which counts as no activity, or raises the refusal.';

-- Raises PA003, PA011 or PA006 unless the caller may write to the session, which may be null.
create function pgagent._admit(session pgagent.agent_sessions, thread_id text)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if session.thread_id is null then
    perform pgagent._raise(
      'PA003', 'no such thread', format('thread_id: %s', thread_id),
      'create_session, enqueue_job and start_run make threads.'
    );
  end if;
  if not pgagent._is_service() and (session.user_id = pgagent._tenant()) is not true then
    perform pgagent._raise(
      'PA011', 'the thread belongs to somebody else', format('thread_id: %s', session.thread_id),
      'Set pgagent.user_id to its owner inside the transaction.'
    );
  end if;
  if session.status in ('DELETED', 'ARCHIVED') then
    perform pgagent._raise_gone(session);
  end if;
end
$$;

comment on function pgagent._admit(pgagent.agent_sessions, text) is
'Raises the refusal unless the caller may write to a session.';

create function pgagent._raise_gone(session pgagent.agent_sessions)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._raise(
    'PA006', format('the thread was %s', lower(session.status)),
    format('thread_id: %s', session.thread_id),
    case session.status
      when 'ARCHIVED' then 'restore_session brings it back.'
      else 'create_session, enqueue_job or start_run begins it anew.'
    end
  );
end
$$;

comment on function pgagent._raise_gone(pgagent.agent_sessions) is
'Raises PA006 for a deleted or archived thread.';

create function pgagent._raise_stale(thread_id text, token bigint, newest bigint)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._raise(
    'PA002', 'the fencing token is stale: the run lost its thread',
    format('thread_id: %s, token: %s, newest token: %s', thread_id, token, newest),
    'Stop this run. Its job was given to another worker, or ended.'
  );
end
$$;

comment on function pgagent._raise_stale(text, bigint, bigint) is
'Raises PA002 for a token that does not own its thread.';
