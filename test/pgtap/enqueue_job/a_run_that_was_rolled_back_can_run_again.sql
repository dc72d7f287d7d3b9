begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1, 'input');
select pg_temp.job('t') as first \gset
select pgagent.enqueue_job('t', '1', on_busy => 'rollback');
select pgagent.cancel_job(pg_temp.job('t'));

select is((select status from pgagent.requeue_job(:'first')), 'PENDING');
select is(
  (select started_checkpoint_id from pgagent.claim_job('w1')), null, 'it begins with its payload'
);
select is((select rolled_back_at from pgagent.agent_jobs where job_id = :'first'), null);

select * from finish();
rollback;
