begin;
\ir ../_lib.sql
select plan(14);

select throws_ok(
  format(
    'select pgagent.put_writes(%L, %L)',
    jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', 'c1', 'task_id', 'a',
      'writes', jsonb_build_array(
        '{"idx": 0, "channel": "c", "type": "text", "offset": 0, "length": 4}'::jsonb
        || w.change::jsonb
      )
    ), 'body'
  ), 'PA008', null, w.change
)
from (
  values
  ('{"idx": null}'), ('{"idx": "0"}'), ('{"idx": 0.5}'), ('{"idx": 2147483648}'),
  ('{"idx": -2147483649}'), ('{"channel": null}'), ('{"channel": ""}'), ('{"channel": 1}'),
  ('{"type": null}'), ('{"type": ""}'), ('{"offset": 1}'), ('{"offset": -1}'), ('{"length": -1}'),
  ('{"length": null}')
) as w (change);

select * from finish();
rollback;
