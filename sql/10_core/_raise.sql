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
  -- An empty hint or detail would be printed, as a line without words.
  if hint <> '' then
    raise exception using errcode = code, message = message, detail = detail, hint = hint;
  elsif detail <> '' then
    raise exception using errcode = code, message = message, detail = detail;
  else
    raise exception using errcode = code, message = message;
  end if;
end
$$;

comment on function pgagent._raise(text, text, text, text) is
'Raises an error of class PA with its detail and hint. See pgagent.errors.';

-- The same, of an error as JSON: code, message, detail, hint.
--
-- label: what stands before the message: '' or an element of a batch, 'jobs[3]: '.
create function pgagent._raise_error(error jsonb, label text default '')
returns void
language plpgsql
volatile
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._raise(
    error ->> 'code', label || (error ->> 'message'), coalesce(error ->> 'detail', ''),
    coalesce(error ->> 'hint', '')
  );
end
$$;

comment on function pgagent._raise_error(jsonb, text) is
'Raises an error that is given as JSON.';
