begin;
\ir ../_lib.sql
select plan(5);

select pgagent.start_run('t', 'w1', timeout => '1 hour');
select pgagent.release_job(pg_temp.job('t'), 1);
select pgagent.enqueue_job('t', '"next"');
select pgagent.enqueue_job('new', '1', timeout => '1 hour');
select pgagent_test.advance('61 min');

select is(pgagent.reap_expired(1), 1::bigint);
select is(pgagent.reap_expired(1), 0::bigint, 'a job that was never claimed has no deadline yet');
select results_eq(
  $$select status from pgagent.agent_jobs where thread_id = 't' order by seq$$,
  array['TIMED_OUT', 'PENDING'] collate "C"
);
select results_eq(
  $$select kind from pgagent.session_events where thread_id = 't' and seq > 4 order by seq$$,
  $$values ('job_timed_out' collate "C"), ('job_promoted')$$
);
select is((select count(*) from pgagent.job_attempts), 1::bigint, 'it was no delivery');

select * from finish();
rollback;
