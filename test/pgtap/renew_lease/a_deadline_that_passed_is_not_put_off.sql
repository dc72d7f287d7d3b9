begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', timeout => '1 hour');
select pgagent_test.advance('1 hour');

select matches(
  pg_temp.refusal($$select pgagent.renew_lease(pg_temp.job('t'), 1)$$), '^PA002 the deadline'
);

select * from finish();
rollback;
