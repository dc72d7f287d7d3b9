begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent_test.advance('40 s');

select results_eq(
  $$select lease_left, cancel_requested from pgagent.renew_lease(pg_temp.job('t'), 1)$$,
  $$values (interval '60 s', false)$$
);
select cmp_ok(
  (select lease_expires_at from pgagent.agent_jobs), '>', pgagent._now() + interval '59 s'
);

select * from finish();
rollback;
