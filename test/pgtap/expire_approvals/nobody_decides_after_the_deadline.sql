begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.pause('t', '1 hour');
select pgagent_test.advance('2 hours');

select matches(
  pg_temp.refusal($$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$),
  '^PA005 the deadline has passed', 'before it was noticed'
);
select throws_ok(
  $$select pgagent.resume_job(pg_temp.job('t'), '{"q": {"decisions": [{"type": "approve"}]}}')$$,
  'PA005'
);
select pgagent.expire_approvals();
select matches(
  pg_temp.refusal($$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$),
  '^PA005 .*TIMED_OUT', 'and afterwards'
);

select * from finish();
rollback;
