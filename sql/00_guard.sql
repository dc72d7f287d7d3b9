-- pgagent @VERSION@: durable, resumable agents in PostgreSQL.
--
-- One script, two ways in:
--   create extension pgagent;                       the server has the files (make install)
--   psql --single-transaction -v ON_ERROR_STOP=1 \
--     -f this_file                                  a plain install, no file access needed
--
-- Made by `make build` from the files under sql/: change those, not this.

-- The guard refuses every place where the script could harm something. It takes a lock that lets
-- any number of installers start together: the later ones wait, then find the work done.
do $guard$
begin
  -- Objects that other schemas hold must not be bound into ours; search_path.sql undoes this.
  perform pg_catalog.set_config(
    'pgagent._search_path', pg_catalog.current_setting('search_path'), true
  );
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

  if current_setting('server_version_num')::integer < 150000 then
    raise exception 'pgagent needs PostgreSQL 15 or later; this server is %',
      current_setting('server_version') using errcode = 'feature_not_supported';
  end if;

  perform pg_advisory_xact_lock(hashtextextended('pgagent install', 0));
  if to_regclass('pgagent.pga_job') is not null then
    raise exception 'this database holds pgAdmin''s job scheduler pgAgent in the same schema'
      using errcode = 'duplicate_schema',
        hint = 'Install pgagent in another database: both need the schema "pgagent".';
  end if;
  if to_regprocedure('pgagent.version()') is not null then
    raise exception 'pgagent is already installed in this database'
      using errcode = 'duplicate_schema', hint = 'select pgagent.version() says which version.';
  end if;
  if to_regnamespace('pgagent') is not null then
    raise exception 'the schema "pgagent" exists already and is not one of ours'
      using errcode = 'duplicate_schema',
        hint = 'Rename or drop it, or install pgagent in another database.';
  end if;
  perform set_config('pgagent._installing', 'yes', true);
end
$guard$;

-- The mark above lives as long as its transaction. Run statement by statement, the script stops
-- here, before it has made anything.
do $guard$
begin
  if coalesce(current_setting('pgagent._installing', true), '') <> 'yes' then
    raise exception 'pgagent must be installed in one transaction'
      using errcode = 'no_active_sql_transaction',
        hint = 'Run psql with --single-transaction (-1).';
  end if;
  execute 'create schema pgagent';
end
$guard$;

comment on schema pgagent is
'Durable, resumable agents: sessions, messages, events, jobs, checkpoints and tool calls. Not '
'pgAdmin''s pgAgent.';
