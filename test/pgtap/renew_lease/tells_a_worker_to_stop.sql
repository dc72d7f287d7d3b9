begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.cancel_job(pg_temp.job('t'));

select is((select cancel_requested from pgagent.renew_lease(pg_temp.job('t'), 1)), true);

select * from finish();
rollback;
