-- Each on a thread of its own. resume_job and decide_approval have tests below their own names.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select count(*)::integer - 2 from pg_temp.calls('t', 1) where kind = 'tenant'));

select pg_temp.busy_thread(c.routine, 'alice')
from pg_temp.calls('t', 2) as c
where c.kind = 'tenant';
select become('t_tenant');
set local pgagent.user_id = 'alice';

select is(pg_temp.refusal(c.call), null, c.routine)
from pg_temp.calls('t', 2) as r
cross join lateral pg_temp.calls(r.routine, 2) as c
where c.kind = 'tenant' and c.routine = r.routine
  and c.routine not in ('resume_job', 'decide_approval');

select * from finish();
rollback;
