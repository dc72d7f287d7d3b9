begin;
select plan(2);

select is_empty($$
  select c.oid::regclass
  from pg_class as c
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'r'
    and not (
      c.relrowsecurity and exists (select from pg_policy as p where p.polrelid = c.oid)
    )
$$, 'enabled, with a policy');
select is_empty($$
  select c.oid::regclass
  from pg_class as c
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'v'
    and not coalesce('security_invoker=true' = any(c.reloptions), false)
$$, 'views do not walk round it');

select * from finish();
rollback;
