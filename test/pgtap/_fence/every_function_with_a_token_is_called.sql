begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(2);

select set_eq(
  $$
    select p.proname::text
    from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace
      and p.proname not like '\_%'
      and 'fencing_token' = any(p.proargnames[:p.pronargs])
  $$,
  $$select routine from pg_temp.calls('t', 1) where fenced$$
);
select set_eq(
  $$
    select p.proname::text
    from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace and p.proname not like '\_%' and p.prosecdef
  $$,
  $$select routine from pg_temp.calls('t', 1)$$,
  'and every function that writes'
);

select * from finish();
rollback;
