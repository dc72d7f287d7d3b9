-- Only the call that ended the run is answered again.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(
  (select count(*)::integer from pg_temp.calls('t', 1) where fenced and routine <> 'complete_job')
);

select pg_temp.busy_thread('t');
select pgagent.complete_job(pg_temp.job('t'), 2);

select throws_ok(c.call, 'PA002', null, c.routine)
from pg_temp.calls('t', 2) as c
where c.fenced and c.routine <> 'complete_job';

select * from finish();
rollback;
