-- Makes a thread, begins a deleted one anew, or returns the one that exists.
--
-- thread_id: client-supplied and stable; null makes one.
-- user_id:   owner; a tenant may only name itself, and does so by default.
-- config:    small JSON object (at most 16 kB): run configuration.
-- metadata:  small JSON object (at most 16 kB): title, tags.
-- Returns:   the thread, and whether this call made it. On an existing thread config and metadata
--            stay as they are, so repeating the call is safe.
-- Locks:     the session.
-- Raises:    PA008, PA009 bad arguments; PA011 another owner's thread; PA006 archived.
create function pgagent.create_session(
  thread_id text default null, user_id text default null,
  config jsonb default '{}', metadata jsonb default '{}'
)
returns table (thread text, created boolean)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_user_id text := coalesce(create_session.user_id, pgagent._tenant());
begin
  thread := coalesce(create_session.thread_id, gen_random_uuid()::text);
  perform pgagent._check_name('thread_id', thread, 'thread_id');
  if v_user_id is not null then
    perform pgagent._check_name('user_id', v_user_id);
  end if;
  perform pgagent._check_object('config', create_session.config, 'config');
  perform pgagent._check_object('metadata', create_session.metadata, 'metadata');

  created := pgagent._begin_session(thread, v_user_id);
  if v_user_id is not null and exists (
    select from pgagent.agent_sessions as s
    where s.thread_id = thread and s.user_id is distinct from v_user_id
  ) then
    perform pgagent._raise(
      'PA011', 'the thread belongs to somebody else', format('thread_id: %s', thread),
      'Thread ids are shared by all owners: choose unguessable ones.'
    );
  end if;
  if created then
    insert into pgagent.session_data (thread_id, config, metadata)
    values (thread, create_session.config, create_session.metadata);
  end if;
  return next;
end
$$;

comment on function pgagent.create_session(text, text, jsonb, jsonb) is
'Makes a thread, or returns the one that exists; begins a deleted thread anew.';
