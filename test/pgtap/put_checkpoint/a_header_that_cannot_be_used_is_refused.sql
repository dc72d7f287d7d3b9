-- What a get would stumble over later, or the tables refuse with an error of their own.
begin;
\ir ../_lib.sql
select plan(31);

select throws_ok(
  format(
    'select pgagent.put_checkpoint(%L, %L)',
    '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c1", "metadata": {},
      "checkpoint": {}, "channels": []}'::jsonb || h.change::jsonb, 'body'
  ), 'PA008', null, h.change
)
from (
  values
  ('{"thread_id": null}'), ('{"thread_id": ""}'), ('{"thread_id": 1}'),
  ('{"checkpoint_ns": null}'), ('{"checkpoint_ns": 1}'),
  ('{"checkpoint_id": null}'), ('{"checkpoint_id": ""}'), ('{"checkpoint_id": ["c1"]}'),
  ('{"parent_checkpoint_id": ""}'),
  ('{"checkpoint": null}'), ('{"checkpoint": []}'), ('{"metadata": null}'), ('{"metadata": "x"}'),
  ('{"checkpoint": {"channel_versions": []}}'), ('{"checkpoint": {"channel_versions": "1"}}'),
  ('{"seen_token": "1"}'), ('{"seen_token": -1}'), ('{"seen_token": 1.5}'),
  ('{"channels": null}'), ('{"channels": {}}'), ('{"channels": [1]}'), ('{"channels": [{}]}'),
  ('{"inline": []}'), ('{"inline": "x"}'), ('{"inline": {"type": "text"}}'),
  ('{"inline": {"type": "text", "offset": 0, "length": 5}}'),
  ('{"inline": {"type": "text", "offset": -1, "length": 1}}'),
  ('{"inline": {"type": "text", "offset": 0, "length": 0.5}}'),
  ('{"inline": {"type": "text", "offset": "0", "length": 1}}'),
  ('{"inline": {"type": "", "offset": 0, "length": 1}}'),
  ('{"inline": {"type": null, "offset": 0, "length": 1}}')
) as h (change);

select * from finish();
rollback;
