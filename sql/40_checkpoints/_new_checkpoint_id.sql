-- A checkpoint id made here: a UUID of version 6, as LangGraph makes them, so that they sort
-- together.
--
-- above: sorts after this id too, when that is a UUID of version 6: the clock of whoever made it
--        may be fast.
-- Layout (RFC 9562): 60 bits of time in units of 100 ns since 15 October 1582, split 48 and 12
-- round the version, then 62 random bits.
create function pgagent._new_checkpoint_id(above text default null)
returns text
language sql
volatile
parallel safe
begin atomic
  select
    substr(t.hex, 1, 8) || '-' || substr(t.hex, 9, 4) || '-6' || substr(t.hex, 13, 3)
    || substr(gen_random_uuid()::text, 19)
  from (
    select
      lpad(
        to_hex(
          greatest(
            (extract(epoch from pgagent._now()) * 10000000)::bigint + 122192928000000000,
            case
              when above ~ '^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$'
                then
                  ('x0' || substr(above, 1, 8) || substr(above, 10, 4) || substr(above, 16, 3))
                  ::bit(64)::bigint + 1
            end
          )
        ), 15, '0'
      ) as hex
  ) as t;
end;

comment on function pgagent._new_checkpoint_id(text) is
'A checkpoint id made here: a UUID of version 6 that sorts with LangGraph''s.';
