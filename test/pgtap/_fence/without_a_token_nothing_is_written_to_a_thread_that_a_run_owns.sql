-- Calls about a delivery need their token as an argument: without it they are malformed.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select count(*)::integer from pg_temp.calls('t', 1) where fenced));

select pg_temp.busy_thread('t');

select throws_ok(
  c.call, case when c.kind = 'tenant' then 'PA001' else 'PA008' end, null, c.routine
)
from pg_temp.calls('t', null) as c
where c.fenced;

select * from finish();
rollback;
