begin;
\ir ../_lib.sql
select plan(3);

select is(pg_temp.put('t', 'c1'), 1::bigint);
select become('t_tenant');
set local pgagent.user_id = 'alice';
select is(pg_temp.put('u', 'c1'), 1::bigint, 'for a tenant');
reset role;
select results_eq(
  'select thread_id, user_id, status from pgagent.sessions order by 1',
  $$
    values
    ('t' collate "C", null::text collate "C", 'IDLE' collate "C"), ('u', 'alice', 'IDLE')
  $$
);

select * from finish();
rollback;
