-- The planner takes one range of the log for many, and the server would compile for a second what
-- runs for a millisecond.
begin;
select plan(1);

select set_eq(
  $$
    select p.proname::text
    from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace and 'jit=off' = any(p.proconfig)
  $$,
  array[
    '_keep_checkpoints', 'checkpoint_sizes', 'copy_thread', 'fork_session', 'list_checkpoints',
    'sweep_orphans'
  ]
);

select * from finish();
rollback;
