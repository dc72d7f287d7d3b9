begin;
\ir ../_lib.sql
select plan(6);

select fencing_token from pgagent.start_run('late', 'w1', timeout => '1 s');
select pgagent_test.advance('2 s');
select pgagent.reap_expired();
select pgagent.enqueue_job('dropped', '{}');
select pgagent.cancel_job(pg_temp.job('dropped'), 'by mistake', 'alice');

select is(pg_temp.status_of('late'), 'TIMED_OUT');
select is((select status from pgagent.requeue_job(pg_temp.job('late'))), 'PENDING');
select is((select status from pgagent.requeue_job(pg_temp.job('dropped'))), 'PENDING');
select results_eq(
  $$
    select cancel_requested_at, cancelled_by, cancel_reason from pgagent.agent_jobs
    where thread_id = 'dropped'
  $$,
  $$values (null::timestamptz, null::text collate "C", null::text collate "C")$$,
  'it is not cancelled any more'
);
select pgagent_test.advance('1 s');
select is((select count(*) from pgagent.claim_jobs('w2', max_jobs => 5)), 2::bigint);
select is(
  (select deadline_left from pgagent.agent_jobs as j
   cross join lateral (select date_trunc('second', j.deadline_at - j.claimed_at) as deadline_left)
   as d where thread_id = 'late'),
  interval '1 s', 'its time counts from the next claim'
);

select * from finish();
rollback;
