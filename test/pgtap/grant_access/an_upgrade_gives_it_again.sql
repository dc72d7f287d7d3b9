begin;
\ir ../_lib.sql
select plan(2);

create function pg_temp.may() returns boolean
language sql volatile
as $$select has_function_privilege('t_worker', 'pgagent.reap_expired(integer)', 'execute')$$;
revoke all on all functions in schema pgagent from t_worker;
select is(pg_temp.may(), false);
select pgagent._regrant();

select is(pg_temp.may(), true);

select * from finish();
rollback;
