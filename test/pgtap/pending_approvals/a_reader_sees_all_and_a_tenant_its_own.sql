begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('a', 'alice'), pgagent.create_session('b', 'bob');
select pg_temp.pause('a'), pg_temp.pause('b');
select become('t_reader');
select is((select count(*) from pgagent.pending_approvals), 2::bigint);
reset role;
select become('t_tenant');
set local pgagent.user_id = 'alice';
select results_eq(
  'select thread_id, user_id from pgagent.pending_approvals',
  $$values ('a' collate "C", 'alice' collate "C")$$
);

select * from finish();
rollback;
