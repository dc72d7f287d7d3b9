begin;
\ir ../_lib.sql
select plan(7);

select pgagent.schedule_job(
  's', '* * * * *', 't', '{"x": 1}', queue => 'nightly', priority => 3, max_attempts => 7,
  thread_owner => 'alice', scheduler => 'external'
);

select is_empty('select * from pgagent.run_schedules()', 'the tick of before it was made');
select pgagent_test.advance('1 minute');
select results_eq(
  'select name, outcome, job_id = pg_temp.job(''t'') from pgagent.run_schedules(''s'')',
  $$values ('s', 'enqueued', true)$$
);
select is_empty('select * from pgagent.run_schedules()', 'the second scheduler');
select results_eq(
  $$
    select j.queue, j.priority, j.max_attempts, j.payload, s.user_id
    from pgagent.agent_jobs as j join pgagent.agent_sessions as s using (thread_id)
  $$,
  $$values ('nightly' collate "C", 3::smallint, 7, '{"x": 1}'::jsonb, 'alice' collate "C")$$
);
-- One that read the schedule before the first one had noted the tick.
update pgagent.job_schedules set last_tick_at = null, last_job_id = null;
set local timezone = 'Asia/Tokyo';
select results_eq('select outcome from pgagent.run_schedules()', $$values ('known')$$);
select is((select count(*) from pgagent.agent_jobs), 1::bigint);
select pgagent_test.advance('10 minutes');
select is(
  (select count(*) from pgagent.run_schedules()), 1::bigint, 'of those that were missed the last'
);

select * from finish();
rollback;
