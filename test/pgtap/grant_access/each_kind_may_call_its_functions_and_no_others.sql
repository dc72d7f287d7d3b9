begin;
\ir ../_lib.sql
select plan(2);

select is_empty($$
  select k.kind, p.oid::regprocedure
  from unnest('{reader,tenant,worker,admin}'::text[]) as k (kind)
  cross join pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and has_function_privilege('t_' || k.kind, p.oid, 'execute') <> exists (
      select from pgagent.privileges as r where r.routine = p.oid and k.kind = any(r.kinds)
    )
$$);
select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and has_function_privilege('t_stranger', p.oid, 'execute')
$$, 'and a role without access none');

select * from finish();
rollback;
