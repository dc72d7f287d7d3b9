-- A heartbeat must not hide a step that hangs.
begin;
\ir ../_lib.sql
select plan(3);

select pgagent.start_run('t', 'w1', step_timeout => '10 min');
select pgagent_test.advance('9 min');
select is(
  (
    select date_trunc('minute', lease_left + interval '30 s')
    from pgagent.renew_lease(pg_temp.job('t'), 1, '1 hour')
  ), interval '1 min', 'a lease ends with the step'
);
select pgagent_test.advance('1 min');
select throws_ok($$select pgagent.renew_lease(pg_temp.job('t'), 1)$$, 'PA002');
select is((select attempt from pgagent.claim_job('w2')), 2, 'another worker gets it');

select * from finish();
rollback;
