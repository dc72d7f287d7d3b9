begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.cancel_job(pg_temp.job('t'));
select pgagent_test.advance('61 s');
select pgagent.reap_expired();

select is(pg_temp.status_of('t'), 'CANCELLED');
select is((select active_job_id from pgagent.sessions), null);

select * from finish();
rollback;
