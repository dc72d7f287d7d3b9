-- A clock of a client that is wrong cannot matter: arguments are lengths of time.
begin;
\ir ../_lib.sql
select plan(2);

select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace and p.proname not like '\_%'
    and (
      'timestamptz'::regtype = any(p.proargtypes) or 'timestamp'::regtype = any(p.proargtypes)
    )
$$);
select cmp_ok(
  (
    select count(*) from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace and 'interval'::regtype = any(p.proargtypes)
  ), '>', 5::bigint
);

select * from finish();
rollback;
