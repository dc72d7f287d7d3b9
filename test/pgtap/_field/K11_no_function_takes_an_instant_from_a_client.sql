-- A clock of a client that is wrong cannot matter: arguments are lengths of time. Only who looks
-- back may name a time: what reads with the caller's rights and cannot write.
begin;
\ir ../_lib.sql
select plan(3);

select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace and p.proname not like '\_%'
    and (
      'timestamptz'::regtype = any(p.proargtypes) or 'timestamp'::regtype = any(p.proargtypes)
    )
    and (p.provolatile = 'v' or p.prosecdef)
$$);
select isnt_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace and p.proname not like '\_%'
    and 'timestamptz'::regtype = any(p.proargtypes)
$$, 'some look back');
select cmp_ok(
  (
    select count(*) from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace and 'interval'::regtype = any(p.proargtypes)
  ), '>', 5::bigint
);

select * from finish();
rollback;
