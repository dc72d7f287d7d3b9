begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select count(*)::integer from pg_temp.calls('t', 1) where fenced));

select pg_temp.busy_thread('t');

select throws_ok(c.call, 'PA002', null, c.routine) from pg_temp.calls('t', 3) as c where c.fenced;

select * from finish();
rollback;
