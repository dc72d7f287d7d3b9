-- By path of the task, then task, then position.
begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put('t', 'c1');
select pgagent.put_writes(
  jsonb_build_object(
    'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', 'c1', 'task_id', w.task,
    'task_path', w.path, 'writes', jsonb_build_array(jsonb_build_object(
      'idx', w.idx, 'channel', 'c', 'type', 'text', 'offset', 0, 'length', 0
    ))
  )
)
from (
  values ('b', 'p2', 0), ('a', 'p2', 1), ('a', 'p2', 0), ('z', 'p1', 0), ('a', 'p2', -1)
) as w (task, path, idx);

select results_eq(
  $$select task_path, task_id, idx from pgagent.get_checkpoint('t') where kind = 'write'$$,
  $$values ('p1', 'z', 0), ('p2', 'a', -1), ('p2', 'a', 0), ('p2', 'a', 1), ('p2', 'b', 0)$$
);

select * from finish();
rollback;
