-- Calls about a job or a tool call find nothing.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select count(*)::integer from pg_temp.calls('t', 1) where fenced));

select pg_temp.busy_thread('t');
create temporary table late as select * from pg_temp.calls('t', 2);
select pgagent.delete_session('t');

select throws_ok(
  c.call, case when c.call like '%::uuid%' then 'PA003' else 'PA006' end, null, c.routine
)
from late as c
where c.fenced;

select * from finish();
rollback;
