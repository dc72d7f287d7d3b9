-- With what its tasks have written, and without what came before.
begin;
\ir ../_lib.sql
select plan(5);

select pg_temp.put_value('t', 'c1', 'a', '1', 'one');
select pgagent.put_checkpoint(
  '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c2", "parent_checkpoint_id": "c1",
    "checkpoint": {"id": "c2", "channel_versions": {"a": "1"}},
    "metadata": {"source": "loop", "step": 0, "run_id": "r"}, "channels": []}'
);
select pg_temp.put_write('t', 'c1', 'task', 0, 'x');
select pg_temp.put_write('t', 'c2', 'done', 0, 'y');
select pg_temp.put_write('t', 'c2', 'asks', -3, 'z', channel => '__interrupt__');

select results_eq(
  $$select * from pgagent.fork_session('t', new_thread => 'u')$$,
  $$values ('u', 'c2', 1::bigint)$$
);
select results_eq(
  $$
    select
      c.checkpoint_id::text, c.seq, c.parent_checkpoint_id::text, c.checkpoint, c.metadata,
      c.created_at
    from pgagent.checkpoints as c where c.thread_id = 'u'
  $$,
  $$
    select
      c.checkpoint_id::text, c.seq, c.parent_checkpoint_id::text, c.checkpoint, c.metadata,
      c.created_at
    from pgagent.checkpoints as c where c.thread_id = 't' and c.checkpoint_id = 'c2'
  $$, 'as it is'
);
select results_eq(
  $$
    select g.kind, g.channel, convert_from(g.blob, 'UTF8') collate "default"
    from pgagent.get_checkpoint('u') as g where g.kind in ('value', 'write') order by 1, 2
  $$,
  $$values ('value', 'a', 'one'), ('write', '__interrupt__', 'z'), ('write', 'c', 'y')$$
);
select is(
  (select s.head_checkpoint_id from pgagent.agent_sessions as s where s.thread_id = 'u'),
  'c2' collate "C"
);
select is(pg_temp.put('u', 'c3', parent => 'c2'), 3::bigint, 'it goes on');

select * from finish();
rollback;
