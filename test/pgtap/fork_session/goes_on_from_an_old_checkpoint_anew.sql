-- What tasks wrote the first time stays behind, under a checkpoint of its own with another id.
begin;
\ir ../_lib.sql
select plan(7);

select pgagent.put_checkpoint(
  '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1f1ed369-23b2-6540-8001-4b6ae198fb1c",
    "checkpoint": {"id": "1f1ed369-23b2-6540-8001-4b6ae198fb1c", "channel_versions": {"a": "1"}},
    "metadata": {"source": "loop", "step": 1, "run_id": "r", "customer": "x"},
    "channels": [{"channel": "a", "version": "1", "type": "text", "offset": 0, "length": 3}]}',
  'one'
);
select pg_temp.put(
  't', 'c2', step => 2, parent => '1f1ed369-23b2-6540-8001-4b6ae198fb1c'
);
select pg_temp.put_write('t', '1f1ed369-23b2-6540-8001-4b6ae198fb1c', 'task', 0, 'x');
select pgagent_test.advance('1 hour');

select f.id as fork, f.copied
from pgagent.fork_session('t', '1f1ed369-23b2-6540-8001-4b6ae198fb1c', 'u') as f \gset
select is(:copied, 1);
select results_eq(
  $$
    select h.id, h.seq, h.step, h.source, h.metadata - '{source,step}'::text[]
    from pgagent.checkpoint_history('u') as h
  $$,
  format(
    $$
      values (%L, 3::bigint, 2, 'fork', '{"customer": "x"}'::jsonb), (
        '1f1ed369-23b2-6540-8001-4b6ae198fb1c', 1::bigint, 1, 'loop',
        '{"run_id": "r", "customer": "x"}'::jsonb
      )
    $$, :'fork'
  )
);
select is_empty($$select * from pgagent.checkpoint_writes as w where w.thread_id = 'u'$$);
select is(
  (
    select convert_from(g.blob, 'UTF8') from pgagent.get_checkpoint('u') as g
    where g.kind = 'value'
  ), 'one', 'the same state'
);
select is(
  (select c.checkpoint ->> 'id' from pgagent.checkpoints as c where c.checkpoint_id = :'fork'),
  :'fork'
);
select ok(
  :'fork' ~ '^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$', 'version 6'
);
select ok(:'fork' > '1f1ed369-23b2-6540-8001-4b6ae198fb1c' collate "C", 'sorts after it');

select * from finish();
rollback;
