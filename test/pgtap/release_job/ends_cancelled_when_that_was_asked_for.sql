begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.cancel_job(pg_temp.job('t'));

select is(pgagent.release_job(pg_temp.job('t'), 1), 'CANCELLED');

select * from finish();
rollback;
