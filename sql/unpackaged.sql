-- Turns a plain install into the extension; loses nothing.
--
--   create extension pgagent version 'unpackaged';
--   alter extension pgagent update;
--
-- Locks: the catalogs only, not the tables. Repeating it is an error.
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
      using errcode = 'object_not_in_prerequisite_state';
  end if;
end
$$;
