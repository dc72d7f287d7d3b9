-- Only the functions write, so that nobody can walk round the fence.
begin;
select plan(1);

select is_empty($$
  select r.rolname, c.oid::regclass, a.privilege
  from pg_roles as r
  cross join pg_class as c
  cross join unnest('{insert, update, delete, truncate, references, trigger}'::text[])
    as a (privilege)
  where r.rolname in ('t_reader', 't_tenant', 't_worker', 't_admin', 't_stranger')
    and c.relnamespace = 'pgagent'::regnamespace
    and c.relkind in ('r', 'v')
    and has_table_privilege(r.oid, c.oid, a.privilege)
$$);

select * from finish();
rollback;
