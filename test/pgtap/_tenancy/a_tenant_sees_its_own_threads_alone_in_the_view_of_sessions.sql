begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t', 'alice');
select pgagent.create_session('u', 'bob');
select pgagent.create_session('v');
select become('t_tenant');
set local pgagent.user_id = 'bob';

select results_eq('select thread_id from pgagent.sessions', $$values ('u' collate "C")$$);

select * from finish();
rollback;
