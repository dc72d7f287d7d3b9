begin;
\ir ../_lib.sql
select plan(2);

select is_empty($$
  select k.kind, c.oid::regclass
  from unnest('{reader,tenant,worker,admin}'::text[]) as k (kind)
  cross join pg_class as c
  where c.relnamespace = 'pgagent'::regnamespace and c.relkind in ('r', 'v')
    and not has_table_privilege('t_' || k.kind, c.oid, 'select')
$$);
select is_empty($$
  select c.oid::regclass
  from pg_class as c
  where c.relnamespace = 'pgagent'::regnamespace and c.relkind in ('r', 'v')
    and has_table_privilege('t_stranger', c.oid, 'select')
$$);

select * from finish();
rollback;
