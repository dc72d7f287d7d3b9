begin;
\ir ../_lib.sql
select plan(5);

select pgagent.start_run('t', 'w1', timeout => '1 hour', lease => '2 hours');
select pgagent.enqueue_job('t', '"next"');
select pgagent_test.advance('61 min');

select is(pgagent.reap_expired(), 1::bigint);
select results_eq(
  $$
    select status, completed_at is not null, error ->> 'type' from pgagent.agent_jobs where seq = 1
  $$,
  $$values ('TIMED_OUT' collate "C", true, 'timed_out')$$
);
select is((select outcome from pgagent.job_attempts), 'timed_out' collate "C");
select results_eq(
  'select kind from pgagent.session_events where seq > 3 order by seq',
  $$values ('job_timed_out' collate "C"), ('job_promoted')$$
);
select is(pg_temp.status_of('t'), 'PENDING', 'and the next job is let in');

select * from finish();
rollback;
