begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', step_timeout => '10 min', lease => '1 hour');
select pg_temp.put('t', 'c1', 1, step => 3);
select pgagent.release_job(pg_temp.job('t'), 1);
select pgagent.claim_job('w2', lease => '1 hour');
select pgagent_test.advance('5 min');
select pg_temp.put('t', 'c2', 2, step => 3);
select cmp_ok(
  (select step_deadline_at - pgagent._now() from pgagent.agent_jobs), '<', interval '6 min',
  'the same step'
);
select pg_temp.put('t', 'c3', 2, step => 4);
select cmp_ok(
  (select step_deadline_at - pgagent._now() from pgagent.agent_jobs), '>', interval '9 min',
  'the next'
);

select * from finish();
rollback;
