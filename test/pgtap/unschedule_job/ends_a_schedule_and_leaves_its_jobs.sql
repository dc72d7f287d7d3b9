begin;
\ir ../_lib.sql
select plan(4);

select pgagent.schedule_job('s', '* * * * *', 't', '{}', scheduler => 'external');
select pgagent_test.advance('1 minute');
select count(*) from pgagent.run_schedules();

select is(pgagent.unschedule_job('s'), true);
select is(pgagent.unschedule_job('s'), false);
select pgagent_test.advance('1 minute');
select is_empty('select * from pgagent.run_schedules()');
select is(pg_temp.status_of('t'), 'PENDING');

select * from finish();
rollback;
