begin;
select plan(2);

select is_empty($$
  select c.oid::regclass
  from pg_class as c
  join pg_attribute as a on a.attrelid = c.oid and a.attname = 'thread_id'
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'r'
    and c.oid <> 'pgagent.agent_sessions'::regclass
    and not exists (
      select
      from pg_constraint as f
      where f.conrelid = c.oid
        and f.contype = 'f'
        and f.confrelid = 'pgagent.agent_sessions'::regclass
        and f.conkey = array[a.attnum]
        and f.confdeltype = 'c'
        and f.convalidated
    )
$$, 'a foreign key that cascades');
select is_empty($$
  select c.oid::regclass
  from pg_class as c
  join pg_attribute as a on a.attrelid = c.oid and a.attname = 'thread_id'
  where c.relnamespace = 'pgagent'::regnamespace and c.relkind = 'r' and not a.attnotnull
$$, 'and no row without a thread');

select * from finish();
rollback;
