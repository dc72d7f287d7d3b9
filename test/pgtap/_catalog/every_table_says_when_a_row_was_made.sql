begin;
select plan(1);

select is_empty($$
  select c.oid::regclass
  from pg_class as c
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'r'
    and not exists (
      select
      from pg_attribute as a
      where a.attrelid = c.oid
        and a.attname = 'created_at'
        and a.atttypid = 'timestamptz'::regtype
        and a.attnotnull
    )
$$, 'created_at');

select * from finish();
rollback;
