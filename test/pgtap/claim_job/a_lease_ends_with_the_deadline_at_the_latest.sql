begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '{}', timeout => '10 s');
select pgagent.enqueue_job('u', '{}', step_timeout => '20 s');

select results_eq(
  $$select lease_left, deadline_left from pgagent.claim_job('w1')$$,
  $$values (interval '10 s', interval '10 s')$$
);
select results_eq(
  $$select lease_left, deadline_left from pgagent.claim_job('w1')$$,
  $$values (interval '20 s', null::interval)$$
);

select * from finish();
rollback;
