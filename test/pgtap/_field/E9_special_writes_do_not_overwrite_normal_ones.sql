-- A mixed batch keeps both; sent again, the special one is replaced and the normal one stays.
begin;
\ir ../_lib.sql
select plan(3);

create function pg_temp.batch(body text) returns bigint
language sql volatile
as $$
  select pgagent.put_writes(
    '{
      "thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c1", "task_id": "a",
      "writes": [
        {"idx": 0, "channel": "messages", "type": "text", "offset": 0, "length": 1},
        {"idx": -3, "channel": "__interrupt__", "type": "text", "offset": 1, "length": 1},
        {"idx": 1, "channel": "messages", "type": "text", "offset": 2, "length": 1}
      ]
    }', body::bytea
  )
$$;

select is(pg_temp.batch('abc'), 3::bigint);
select is(pg_temp.batch('xyz'), 1::bigint);
select results_eq(
  'select idx, blob from pgagent.checkpoint_writes order by idx',
  $$values (-3, 'y'::bytea), (0, 'a'), (1, 'c')$$
);

select * from finish();
rollback;
