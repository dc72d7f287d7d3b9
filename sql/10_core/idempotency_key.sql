-- Derives an idempotency key: the same fields give the same key in every language, and other fields
-- give another.
--
-- domain:  what the key is for ('message', 'tool', ...); keys of two domains never meet.
-- fields:  the fields that identify the operation, in order. NULL and '' differ. Leave out what
--          changes when it is repeated: times, attempt numbers, workers, fencing tokens.
-- Returns: 64 hexadecimal digits: sha256 over the tag 'pgagent.key.1', then the domain and each
--          field as its length in bytes (4 bytes, big endian, -1 for NULL) followed by its UTF-8
--          bytes. The lengths make it injective; plain or delimited concatenation is not.
-- Raises:  PA008 without a domain.
create function pgagent.idempotency_key(domain text, variadic fields text[])
returns text
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_name('domain', domain);
  return (
    select
      encode(
        sha256('pgagent.key.1'::bytea || string_agg(f.encoded, ''::bytea order by f.position)),
        'hex'
      )
    from (
      select
        u.position,
        coalesce(
          int4send(octet_length(convert_to(u.field, 'UTF8'))) || convert_to(u.field, 'UTF8'),
          int4send(-1)
        ) as encoded
      from unnest(array_prepend(domain, fields)) with ordinality as u (field, position)
    ) as f
  );
end
$$;

comment on function pgagent.idempotency_key(text, text[]) is
'Derives a key from the fields that identify an operation: sha256 over length-prefixed fields, '
'in hexadecimal.';
