begin;
\ir ../_lib.sql
select plan(1);

select is(
  pgagent.put_writes(
    '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c1", "task_id": "a", "writes": []}'
  ), 0::bigint
);

select * from finish();
rollback;
