-- It timed out while it waited for another delivery: it ends, and lets the next job in.
begin;
\ir ../_lib.sql
select plan(4);

select pgagent.start_run('t', 'w1', timeout => '1 hour');
select pgagent.enqueue_job('t', '"next"');
select pgagent.release_job(job_id, 1) from pgagent.agent_jobs where seq = 1;
select pgagent.claim_job('nobody', 'elsewhere');
select pgagent_test.advance('61 min');

select results_eq(
  $$select payload, deadline_left from pgagent.claim_job('w2')$$,
  $$values ('"next"'::jsonb, null::interval)$$
);
select results_eq(
  $$select status, error ->> 'type' from pgagent.agent_jobs where seq = 1$$,
  $$values ('TIMED_OUT' collate "C", 'timed_out')$$
);
select is(
  (select count(*) from pgagent.session_events where kind = 'job_timed_out'), 1::bigint
);
select is((select count(*) from pgagent.job_attempts), 1::bigint, 'no delivery of its own');

select * from finish();
rollback;
