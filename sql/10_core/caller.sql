-- Who is calling. Functions that write are SECURITY DEFINER: inside them current_user is the owner
-- of the schema, so they ask these instead.

-- The role that called, through SET ROLE if that was used.
create function pgagent._caller()
returns name
language sql
stable
parallel safe
begin atomic
  select coalesce(nullif(current_setting('role', true), 'none'), session_user)::name;
end;

comment on function pgagent._caller() is
'The role that made the call, also inside SECURITY DEFINER functions.';

-- A mark that nobody calls: EXECUTE on it makes a role a service role. Asking for a privilege is
-- cheaper than asking a table, and policies can do it once a statement.
create function pgagent._service()
returns void
language sql
immutable
parallel safe
begin atomic
end;

comment on function pgagent._service() is
'Never called: a role with EXECUTE on it sees the threads of every owner. Given by grant_access.';

-- Its twin for writing. Seeing everything and changing one's own are different rights: a role that
-- has them both, as reader and as tenant, must not change everything.
create function pgagent._writer()
returns void
language sql
immutable
parallel safe
begin atomic
end;

comment on function pgagent._writer() is
'Never called: a role with EXECUTE on it writes for every owner. Given by grant_access.';

create function pgagent._is_service()
returns boolean
language sql
stable
parallel safe
begin atomic
  select has_function_privilege(pgagent._caller(), 'pgagent._writer()'::regprocedure, 'execute');
end;

comment on function pgagent._is_service() is
'Whether the caller is a service role that may write: worker or admin.';

-- The owner for whom the transaction runs: set_config('pgagent.user_id', ..., true). Null when it
-- was not set, which matches nothing.
create function pgagent._tenant()
returns text
language sql
stable
parallel safe
begin atomic
  select nullif(current_setting('pgagent.user_id', true), '');
end;

comment on function pgagent._tenant() is
'The owner this transaction acts for, from the setting pgagent.user_id; null, and nothing '
'visible, without it.';

-- Refuses everybody but service roles that write, by name: a role may have been given EXECUTE by
-- hand.
create function pgagent._require_service()
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if not pgagent._is_service() then
    perform pgagent._raise(
      'PA011', 'only a service role may do this', format('role: %s', pgagent._caller()),
      'An owner of the schema gives access: select pgagent.grant_access(role, ''worker'').'
    );
  end if;
end
$$;

comment on function pgagent._require_service() is
'Raises PA011 unless the caller is a service role.';
