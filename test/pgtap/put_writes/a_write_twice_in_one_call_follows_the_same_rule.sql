-- The first of a normal write, the last of a special one, as in two calls.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.put_writes(
  '{
    "thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c1", "task_id": "a",
    "writes": [
      {"idx": 0, "channel": "c", "type": "text", "offset": 0, "length": 1},
      {"idx": -1, "channel": "c", "type": "text", "offset": 1, "length": 1},
      {"idx": 0, "channel": "c", "type": "text", "offset": 2, "length": 1},
      {"idx": -1, "channel": "c", "type": "text", "offset": 3, "length": 1}
    ]
  }', '1234'
);

select results_eq(
  $$select idx, blob from pgagent.checkpoint_writes order by idx$$,
  $$values (-1, '4'::bytea), (0, '1')$$
);

select * from finish();
rollback;
