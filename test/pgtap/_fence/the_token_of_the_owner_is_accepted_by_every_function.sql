-- Each on a thread of its own.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select count(*)::integer from pg_temp.calls('t', 1) where fenced));

select pg_temp.busy_thread(c.routine) from pg_temp.calls('t', 2) as c where c.fenced;

select is(pg_temp.refusal(c.call), null, c.routine)
from pg_temp.calls('t', 2) as r
cross join lateral pg_temp.calls(r.routine, 2) as c
where c.fenced and c.routine = r.routine;

select * from finish();
rollback;
