-- Its functions would run with the rights of the owner.
begin;
\ir ../_lib.sql
select plan(2);

create schema cron;
create function cron.schedule(job_name text, schedule text, command text) returns bigint
language plpgsql
as $$begin raise 'called'; end$$;

select throws_ok($$select pgagent.schedule_job('s', '@daily', 't', '{}')$$, 'PA003');
select is(pgagent.unschedule_job('s'), false);

select * from finish();
rollback;
