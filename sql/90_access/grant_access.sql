-- Lets a role use pgagent. The only way in: a fresh install gives nothing to anybody.
--
-- grantee: an existing role. Give one role one kind.
-- kind:    reader  sees everything
--          tenant  sees and changes threads of the owner that pgagent.user_id names
--          worker  runs jobs and writes for every owner
--          admin   all of that, and settings
-- Returns: how many functions the role may now call.
-- Raises:  PA003 no such role; PA008 unknown kind; PA011 the caller does not own the schema.
-- Recorded in access_grants, so that upgrades give it again on what is new. Safe to repeat.
create function pgagent.grant_access(grantee text, kind text)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if not pg_has_role(
    (select n.nspowner from pg_namespace as n where n.nspname = 'pgagent'), 'usage'
  ) then
    perform pgagent._raise(
      'PA011', 'only an owner of the schema pgagent can give access',
      format('role: %s', pgagent._caller())
    );
  end if;
  perform pgagent._check_name('grantee', grant_access.grantee);
  if grant_access.kind is null
    or grant_access.kind not in ('reader', 'tenant', 'worker', 'admin') then
    perform pgagent._raise(
      'PA008', 'kind must be reader, tenant, worker or admin',
      format('kind: %s', coalesce(left(grant_access.kind, 100), 'null'))
    );
  end if;
  -- Whole, not cut to the length of a name.
  if not exists (select from pg_roles as r where r.rolname::text = grant_access.grantee) then
    perform pgagent._raise(
      'PA003', 'no such role', format('role: %s', grant_access.grantee), 'create role ... login;'
    );
  end if;

  insert into pgagent.access_grants (grantee, kind, granted_by)
  values (grant_access.grantee, grant_access.kind, pgagent._caller())
  on conflict on constraint access_grants_pkey do nothing;
  return pgagent._grant(grant_access.grantee, grant_access.kind);
end
$$;

comment on function pgagent.grant_access(text, text) is
'Lets a role use pgagent as reader, tenant, worker or admin.';

create function pgagent._grant(grantee text, kind text)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_routine regprocedure;
  v_count bigint := 0;
begin
  execute format('grant usage on schema pgagent to %I', grantee);
  execute format('grant select on all tables in schema pgagent to %I', grantee);
  for v_routine in
    select p.routine from pgagent.privileges as p where _grant.kind = any(p.kinds)
  loop
    execute format('grant execute on function %s to %I', v_routine, grantee);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

comment on function pgagent._grant(text, text) is 'Gives a role what its kind may do.';

-- Gives every recorded role its access again: the last step of an upgrade.
create function pgagent._regrant()
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  r record;
begin
  for r in
    select g.grantee, g.kind
    from pgagent.access_grants as g
    where to_regrole(quote_ident(g.grantee)) is not null
    order by g.grantee, g.kind
  loop
    perform pgagent._grant(r.grantee, r.kind);
  end loop;
end
$$;

comment on function pgagent._regrant() is 'Gives every recorded role its access again.';
