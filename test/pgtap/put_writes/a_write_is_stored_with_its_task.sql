begin;
\ir ../_lib.sql
select plan(2);

select is(pg_temp.put_write('t', 'c1', 'task1', 0, 'v', channel => 'messages'), 1::bigint);
select results_eq(
  $$
    select checkpoint_id, task_id, idx, channel, type, blob, task_path, job_id
    from pgagent.checkpoint_writes
  $$,
  $$
    values (
      'c1' collate "C", 'task1' collate "C", 0, 'messages' collate "C", 'text' collate "C",
      'v'::bytea, '' collate "C", null::uuid
    )
  $$
);

select * from finish();
rollback;
