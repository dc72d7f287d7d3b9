begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.fail_job(pg_temp.job('t'), 1, '"x"');

select throws_ok($$select pgagent.complete_job(pg_temp.job('t'), 1)$$, 'PA002');

select * from finish();
rollback;
