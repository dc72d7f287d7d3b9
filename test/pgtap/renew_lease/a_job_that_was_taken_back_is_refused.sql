begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', lease => '1 us');
select pgagent.reap_expired();

select throws_ok($$select pgagent.renew_lease(pg_temp.job('t'), 1)$$, 'PA002');

select * from finish();
rollback;
