begin;
\ir ../_lib.sql
select plan(3);

select pgagent.start_run('t', 'w1', timeout => '1 hour');
select pgagent.enqueue_job('t', '"next"');
select pgagent.release_job(job_id, 1) from pgagent.agent_jobs where seq = 1;
select is(pgagent.reap_expired(), 0::bigint, 'not before');
select pgagent_test.advance('61 min');
select is(pgagent.reap_expired(), 1::bigint);
select results_eq(
  $$select status from pgagent.agent_jobs order by seq$$,
  $$values ('TIMED_OUT' collate "C"), ('PENDING')$$
);

select * from finish();
rollback;
