begin;
\ir ../_lib.sql
select plan(9);

select throws_ok(
  format(
    'select pgagent.put_writes(%L)',
    '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c1", "task_id": "a",
      "writes": []}'::jsonb || h.change::jsonb
  ), 'PA008', null, h.change
)
from (
  values
  ('{"thread_id": null}'), ('{"checkpoint_ns": null}'), ('{"checkpoint_id": ""}'),
  ('{"task_id": null}'), ('{"task_id": ""}'), ('{"writes": null}'), ('{"writes": {}}'),
  ('{"writes": [null]}'), ('{"seen_token": {}}')
) as h (change);

select * from finish();
rollback;
