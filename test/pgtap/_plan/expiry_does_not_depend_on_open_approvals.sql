-- Claims look for deadlines that have passed; those that have not, and questions without one, are
-- passed by.
begin;
\ir _rows.sql
select plan(2);

select pg_temp.jobs(3);
select become('t_worker');
select pg_temp.claim(), pg_temp.claim();
reset role;
insert into pgagent.agent_sessions (thread_id) select 'asks-' || n from generate_series(1, 20000) as n;
insert into pgagent.approvals (
  approval_id, thread_id, interrupt_id, question, allowed, asked_at, expires_at
)
select
  gen_random_uuid(), 'asks-' || n, 'q', '1', '{approve}', pgagent._now(),
  case when n % 2 = 0 then pgagent._now() + '1 day' end
from generate_series(1, 20000) as n;
select become('t_worker');
select pg_temp.claim();
set pgagent._reaped_at = '';

select cmp_ok(pg_temp.claim(), '<', 140::bigint, 'buffers of a claim, with a reap');
select cmp_ok(
  pg_temp.rows_read('select pgagent.expire_approvals()'), '<', 20::bigint, 'rows'
);

select * from finish();
rollback;
