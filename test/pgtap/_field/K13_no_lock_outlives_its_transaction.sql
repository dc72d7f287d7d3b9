-- Session locks break behind poolers.
begin;
\ir ../_lib.sql
select plan(2);

select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and coalesce(p.prosrc, '') || coalesce(pg_get_function_sqlbody(p.oid), '')
      ~ 'pg_(try_)?advisory_lock'
$$);
select pg_temp.run('t');
select is_empty($$select * from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()$$);

select * from finish();
rollback;
