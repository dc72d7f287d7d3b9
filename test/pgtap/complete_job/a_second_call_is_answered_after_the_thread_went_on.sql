begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pg_temp.job('t') as job \gset
select pgagent.complete_job(:'job', 1);
select pg_temp.run('t');

select is(pgagent.complete_job(:'job', 1), 'COMPLETED');
select is((select owner_token from pgagent.sessions), 2::bigint, 'the next run is not touched');

select * from finish();
rollback;
