begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', step_timeout => '10 min', lease => '1 hour');
select pgagent_test.advance('11 min');
select pgagent.reap_expired();

select is(pg_temp.status_of('t'), 'PENDING');
select is((select outcome from pgagent.job_attempts), 'timed_out' collate "C");

select * from finish();
rollback;
