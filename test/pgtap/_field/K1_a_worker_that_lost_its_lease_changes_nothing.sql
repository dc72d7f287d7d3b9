begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(
  (select 1 + count(*)::integer from pg_temp.calls('t', 1) where kind = 'worker' and fenced)
);

select pg_temp.busy_thread('t');
select md5(j::text) as before from pgagent.agent_jobs as j \gset

select throws_ok(c.call, 'PA002', null, c.routine)
from pg_temp.calls('t', 1) as c
where c.kind = 'worker' and c.fenced;
select is((select md5(j::text) from pgagent.agent_jobs as j), :'before');

select * from finish();
rollback;
