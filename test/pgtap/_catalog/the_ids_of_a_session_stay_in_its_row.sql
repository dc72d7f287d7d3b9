-- Storage plain: neither compressed nor moved out of line, since every write reads them.
begin;
select plan(1);

select set_eq(
  $$
    select a.attname::text
    from pg_attribute as a
    where a.attrelid = 'pgagent.agent_sessions'::regclass and a.attnum > 0
      and a.attlen = -1
      and a.attstorage = 'p'
  $$,
  '{thread_id, user_id, status, head_checkpoint_id}'::text[]
);

select * from finish();
rollback;
