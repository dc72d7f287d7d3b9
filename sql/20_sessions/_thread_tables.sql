-- The tables that hold rows of a thread, children before parents: read from the catalog, so that a
-- new table cannot be forgotten.
create function pgagent._thread_tables()
returns table (relation regclass)
language sql
stable
parallel safe
begin atomic
  select c.conrelid::regclass
  from pg_constraint as c
  where
    c.contype = 'f'
    and c.confrelid = 'pgagent.agent_sessions'::regclass
    and c.connamespace = 'pgagent'::regnamespace
  order by c.conrelid = 'pgagent.agent_jobs'::regclass, c.conrelid::regclass::text;
end;

comment on function pgagent._thread_tables() is
'The tables whose rows belong to a thread, read from the foreign keys to agent_sessions.';
