begin;
\ir ../_lib.sql
select plan(5);

create function pg_temp.schedule(at text) returns text
language sql volatile
as $$select pgagent.schedule_job('s', at, 't', '{"x": 1}', scheduler => 'external')$$;

select is(pg_temp.schedule('0 4 * * *'), 'created');
create temporary table first as select * from pgagent.job_schedules;
select pgagent_test.advance('1 day');
select is(pg_temp.schedule('0 4 * * *'), 'unchanged');
select results_eq('select * from pgagent.job_schedules', 'select * from first');
select is(pg_temp.schedule('0 5 * * *'), 'changed');
select is(
  (select s.updated_at - f.updated_at > interval '1 day' from pgagent.job_schedules as s, first as f),
  true
);

select * from finish();
rollback;
