begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.delete_session('t');
select is(
  (select status from pgagent.enqueue_jobs('[{"thread_id": "t", "payload": 1}]')), 'PENDING'
);
select is((select fencing_token from pgagent.claim_job('w1')), 3::bigint);

select * from finish();
rollback;
