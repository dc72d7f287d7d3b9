begin;
\ir ../_lib.sql
select plan(13);

select throws_ok(
  format(
    'select pgagent.put_checkpoint(%L, %L)',
    jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', 'c1', 'metadata', '{}'::jsonb,
      'checkpoint', '{}'::jsonb, 'channels', jsonb_build_array(
        '{"channel": "c", "version": "1", "type": "text", "offset": 0, "length": 4}'::jsonb
        || c.change::jsonb
      )
    ), 'body'
  ), 'PA008', null, c.change
)
from (
  values
  ('{"channel": null}'), ('{"channel": ""}'), ('{"channel": 1}'),
  ('{"version": null}'), ('{"version": ""}'), ('{"version": 1}'),
  ('{"type": null}'), ('{"offset": 1}'), ('{"length": 99999999999}'),
  ('{"digest": "0", "digest_format": "f"}'), ('{"digest": "00"}'), ('{"saved": -1}'),
  ('{"saved": "1"}')
) as c (change);

select * from finish();
rollback;
