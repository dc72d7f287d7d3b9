begin;
\ir ../_lib.sql
select plan(2);

select pgagent.schedule_job('a', '* * * * *', 'a', '{}', scheduler => 'external');
select pgagent.schedule_job('b', '* * * * *', 'b', '{}', scheduler => 'external');
select pgagent.create_session('a');
update pgagent.agent_sessions set status = 'ARCHIVED';
select pgagent_test.advance('1 minute');

select results_eq(
  'select name, outcome from pgagent.run_schedules() order by name',
  $$values ('a', 'gone'), ('b', 'enqueued')$$
);
select throws_ok('select pgagent.run_schedules(''c'')', 'PA003');

select * from finish();
rollback;
