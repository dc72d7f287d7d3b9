-- Raises one of the errors of pgagent.errors.
--
-- code:    a PA code.
-- message: what is wrong, for a person; one line.
-- detail:  ids that identify the rows concerned.
-- hint:    what to do next.
-- Raises:  that code, always.
create function pgagent._raise(
  code text, message text, detail text default '', hint text default ''
)
returns void
language plpgsql
volatile
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception using errcode = code, message = message, detail = detail, hint = hint;
end
$$;

comment on function pgagent._raise(text, text, text, text) is
'Raises an error of class PA with its detail and hint. See pgagent.errors.';
