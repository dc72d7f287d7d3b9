-- Turns a plain install into the extension. Nothing is moved or lost.
--
--   create extension pgagent version 'unpackaged';
--   alter extension pgagent update;
--
-- Locks:  each object, for the moment of a catalog change.
-- Raises: there is no plain install, or one of another version.
-- Access that roles have already counts as the extension's own from now on, and pg_dump leaves it
-- out: after a restore, `select pgagent._regrant();` gives it again.
do $$
declare
  v_object record;
begin
  if to_regprocedure('pgagent.version()') is null then
    raise exception 'there is no plain install of pgagent in this database'
      using errcode = 'object_not_in_prerequisite_state', hint = 'create extension pgagent;';
  end if;
  if pgagent.version() <> '@VERSION@' then
    raise exception 'this database holds pgagent %, these files are of @VERSION@', pgagent.version()
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'Bring the plain install to that version first.';
  end if;

  for v_object in
    select
      case c.relkind
        when 'r' then 'table' when 'S' then 'sequence' when 'v' then 'view' when 'c' then 'type'
      end as kind,
      c.oid::regclass::text as name,
      c.relkind in ('r', 'S') as holds_rows,
      c.oid
    from pg_class as c
    where c.relnamespace = 'pgagent'::regnamespace and c.relkind in ('r', 'S', 'v', 'c')
    union all
    select 'routine', p.oid::regprocedure::text, false, p.oid
    from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace
    union all
    select 'schema', 'pgagent', false, 0
    order by 1, 2
  loop
    execute format('alter extension pgagent add %s %s', v_object.kind, v_object.name);
    if v_object.holds_rows then
      perform pg_extension_config_dump(v_object.oid, '');
    end if;
  end loop;
end
$$;
