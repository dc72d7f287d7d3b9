begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.record_usage('t', 'k', 1, fencing_token => 1);

select is((select job_id from pgagent.usage_records), pg_temp.job('t'));

select * from finish();
rollback;
