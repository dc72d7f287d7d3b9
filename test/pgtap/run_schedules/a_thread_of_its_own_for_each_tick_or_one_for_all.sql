begin;
\ir ../_lib.sql
select plan(3);

select pgagent.schedule_job('own', '* * * * *', 'r-{tick}', '{}', scheduler => 'external');
select pgagent.schedule_job(
  'busy', '* * * * *', 't', '{}', on_busy => 'reject', scheduler => 'external'
);
select pgagent.schedule_job('behind', '* * * * *', 'u', '{}', scheduler => 'external');
select pgagent_test.advance('1 minute');
select count(*) from pgagent.run_schedules();
select pgagent_test.advance('1 minute');

select results_eq(
  'select name, outcome from pgagent.run_schedules() order by name',
  $$values ('behind', 'enqueued'), ('busy', 'busy'), ('own', 'enqueued')$$
);
select is(
  (select count(*) from pgagent.agent_sessions
   where thread_id ~ '^r-\d{4}-\d\d-\d\dT\d\d:\d\dZ$'),
  2::bigint
);
select results_eq(
  'select thread_id, status from pgagent.agent_jobs where thread_id in (''t'', ''u'') order by 1, 2',
  $$
    values
    ('t' collate "C", 'PENDING' collate "C"), ('u', 'PENDING'), ('u', 'WAITING')
  $$
);

select * from finish();
rollback;
