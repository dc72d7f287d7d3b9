begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select pgagent.enqueue_job('t', '1');
select pgagent.enqueue_job('t', '2');
select become('t_worker');
select pgagent.cancel_job(pg_temp.job('t'));
reset role;
select is(
  (select cancelled_by from pgagent.agent_jobs where seq = 2), 't_worker' collate "C", 'a role'
);
select become('t_tenant');
set local pgagent.user_id = 'alice';
select pgagent.cancel_job((select job_id from pgagent.agent_jobs where seq = 1));
select is(
  (select cancelled_by from pgagent.agent_jobs where seq = 1), 'alice' collate "C", 'a tenant'
);

select * from finish();
rollback;
