-- A version-7 UUID that sorts by time and tells where its thread lives.
--
-- thread_id: the thread the row belongs to; its sha256 gives the last 16 bits.
-- ordinal:   position in a batch; each adds a microsecond, so that a batch keeps its order.
-- Layout (RFC 9562, method 3): 48 bits of milliseconds, 12 bits of the millisecond's fraction, 48
-- random bits and the 16 bits of the thread.
create function pgagent._new_id(thread_id text, ordinal integer default 0)
returns uuid
language sql
volatile
parallel safe
begin atomic
  select (
    lpad(to_hex(t.us / 1000), 12, '0')
    || '7' || lpad(to_hex((t.us % 1000) * 4096 / 1000), 3, '0')
    || substr(t.random, 20, 4) || substr(t.random, 25, 8)
    || substr(encode(sha256(convert_to(_new_id.thread_id, 'UTF8')), 'hex'), 1, 4)
  )::uuid
  from (
    select
      (extract(epoch from pgagent._now()) * 1000000)::bigint + ordinal as us,
      gen_random_uuid()::text as random
  ) as t;
end;

comment on function pgagent._new_id(text, integer) is
'A time-ordered UUID (version 7) whose last 16 bits are derived from the thread.';
