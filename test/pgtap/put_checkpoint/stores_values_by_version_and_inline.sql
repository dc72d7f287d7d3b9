begin;
\ir ../_lib.sql
select plan(2);

select pgagent.put_checkpoint(
  '{
    "thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c1", "parent_checkpoint_id": null,
    "checkpoint": {"id": "c1", "channel_versions": {"a": "1", "b": "2", "small": "1"}},
    "metadata": {"source": "loop", "step": 1, "run_id": "run1"},
    "inline": {"type": "json", "offset": 0, "length": 3, "channels": ["small"]},
    "channels": [
      {"channel": "a", "version": "1", "type": "text", "offset": 3, "length": 2},
      {"channel": "b", "version": "2", "type": "bytes", "offset": 5, "length": 4}
    ]
  }', '{1}AA' || '\x00ff00ff'::bytea
);

select results_eq(
  $$
    select kind, channel, version, type, blob
    from pgagent.get_checkpoint('t') where kind in ('checkpoint', 'value') order by kind, channel
  $$,
  $$
    values
    ('checkpoint', null, null, 'json', '{1}'::bytea),
    ('value', 'a', '1', 'text', 'AA'),
    ('value', 'b', '2', 'bytes', '\x00ff00ff')
  $$
);
select results_eq(
  'select run_id, inline_channels from pgagent.checkpoints',
  $$values ('run1' collate "C", array['small'] collate "C")$$
);

select * from finish();
rollback;
