-- Each table with a thread_id refers to agent_sessions: a row of an unknown thread violates it.
begin;
\ir ../_lib.sql
select plan((select count(*)::integer from pgagent._thread_tables()));

select is_empty(
  format(
    $$
      select c.oid::regclass
      from pg_class as c
      where c.oid = %L::regclass
        and not exists (
          select from pg_attribute as a
          join pg_constraint as k on k.conrelid = c.oid and k.conkey = array[a.attnum]
          where a.attrelid = c.oid and a.attname = 'thread_id'
            and k.contype = 'f' and k.confrelid = 'pgagent.agent_sessions'::regclass
            and k.confdeltype = 'c'
        )
    $$, t.relation
  ), t.relation::text
)
from (
  select distinct a.attrelid::regclass as relation
  from pg_attribute as a
  join pg_class as c on c.oid = a.attrelid
  where a.attname = 'thread_id' and c.relkind = 'r' and c.relnamespace = 'pgagent'::regnamespace
    and c.oid <> 'pgagent.agent_sessions'::regclass
) as t;

select * from finish();
rollback;
