begin;
\ir ../_lib.sql
select plan(5);

select throws_ok(
  format(
    'select pgagent.put_checkpoint(%L)',
    jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', 'c1', 'metadata', '{}'::jsonb,
      'checkpoint', '{}'::jsonb, 'channels', jsonb_build_array(
        '{"channel": "c", "version": "1", "type": "text", "offset": 0, "length": 0}'::jsonb
        || case when h.name in ('channel', 'version') then h.change else '{}' end
      )
    ) || h.change
  ), 'PA009', null, h.name
)
from (
  select n.name, jsonb_build_object(n.name, repeat('x', n.bytes)) as change
  from (
    values
    ('checkpoint_id', 256), ('parent_checkpoint_id', 256), ('checkpoint_ns', 1025),
    ('channel', 256), ('version', 256)
  ) as n (name, bytes)
) as h;

select * from finish();
rollback;
