-- What a call said, in 32 bytes: kept beside its key, so that the key with anything else to say is
-- a conflict. The same JSON gives the same fingerprint, however it was written.
--
-- Stable, as convert_to is: declared immutable it would not be inlined.
create function pgagent._fingerprint(said jsonb)
returns bytea
language sql
stable
parallel safe
begin atomic
  select sha256(convert_to(said::text, 'UTF8'));
end;

comment on function pgagent._fingerprint(jsonb) is
'sha256 of a JSON value: what a call said, kept beside its key.';
