-- The version of the installed schema, the same for the extension and for a plain install.
create function pgagent.version()
returns text
language sql
immutable
parallel safe
begin atomic
  select '@VERSION@';
end;

comment on function pgagent.version() is 'The version of the installed schema.';
