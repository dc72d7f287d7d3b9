-- pg_temp last: named nowhere it comes first for types, and a temporary domain called jsonb would
-- run its check with the owner's rights.
begin;
select plan(2);

select is_empty($$
  select p.oid::regprocedure, p.proconfig
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and p.prosqlbody is null
    and not coalesce('search_path=pg_catalog, pg_temp' = any(p.proconfig), false)
$$, 'every body that is text has search_path = pg_catalog, pg_temp');
select is_empty($$
  select p.oid::regprocedure, p.proconfig
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and p.prosqlbody is not null
    and (p.proconfig is not null or p.prosecdef)
$$, 'a body bound at creation needs none, and a setting would stop it from being inlined');

select * from finish();
rollback;
