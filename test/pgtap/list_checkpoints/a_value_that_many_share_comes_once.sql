begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put_value('t', 'c1', 'a', '1', 'v');
select pgagent.put_checkpoint(
  '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c2", "metadata": {},
    "checkpoint": {"channel_versions": {"a": "1"}}, "channels": []}'
);
select pg_temp.put_write('t', 'c1', 'x', 0, 'w');

select results_eq(
  $$select kind, id, version from pgagent.list_checkpoints('t')$$,
  $$
    values
    ('checkpoint', 'c2', null), ('checkpoint', 'c1', null), ('value', null, '1'),
    ('write', 'c1', null)
  $$
);

select * from finish();
rollback;
