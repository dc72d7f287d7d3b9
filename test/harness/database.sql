-- What every test database has besides pgagent: pgTAP in a schema of its own, the only one in the
-- search path, and access for the roles.
create schema tap;
grant usage on schema tap to public;
create extension pgtap schema tap;
create extension plpgsql_check schema tap;
select format('alter database %I set search_path = tap', current_database()) \gexec

select pgagent.grant_access('t_reader', 'reader');
select pgagent.grant_access('t_tenant', 'tenant');
select pgagent.grant_access('t_worker', 'worker');
select pgagent.grant_access('t_admin', 'admin');

-- Goes on as another role, until `reset role`. pgTAP keeps its count in temporary tables, which the
-- role must be able to write.
create function tap.become(role text)
returns void
language plpgsql
as $$
begin
  if pg_my_temp_schema() <> 0 then
    execute format(
      'grant all on all tables in schema %s to public', pg_my_temp_schema()::regnamespace
    );
    execute format(
      'grant all on all sequences in schema %s to public', pg_my_temp_schema()::regnamespace
    );
  end if;
  perform set_config('role', role, true);
end
$$;
