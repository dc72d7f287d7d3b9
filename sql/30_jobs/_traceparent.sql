-- The header traceparent of W3C Trace Context: version, trace, parent span and flags.

-- Later versions may say more behind the flags. All zeros name nothing, and ff is no version.
create function pgagent._check_traceparent(traceparent text)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_name('traceparent', traceparent);
  if traceparent !~ (
    '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)'
  ) or (traceparent like '00-%' and length(traceparent) > 55) then
    perform pgagent._raise(
      'PA008', 'traceparent is not as W3C Trace Context has it',
      format('traceparent: %s', left(traceparent, 100)),
      'Like 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, in lower case.'
    );
  end if;
end
$$;

comment on function pgagent._check_traceparent(text) is
'Raises PA008 when a text is no traceparent of W3C Trace Context.';

-- The trace that a traceparent names.
create function pgagent._trace_of(traceparent text)
returns text
language sql
immutable
parallel safe
begin atomic
  select split_part(traceparent, '-', 2);
end;

comment on function pgagent._trace_of(text) is 'The trace that a traceparent names.';
