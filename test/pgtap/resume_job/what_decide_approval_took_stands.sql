begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, jsonb_build_object('q', pg_temp.review('pay', 'mail')));
select pgagent.decide_approval(pg_temp.approval('t', 0), 'reject');

select throws_ok(
  $$
    select pgagent.resume_job(
      pg_temp.job('t'), '{"q": {"decisions": [{"type": "approve"}, {"type": "approve"}]}}'
    )
  $$, 'PA005'
);
select lives_ok(
  $$
    select pgagent.resume_job(
      pg_temp.job('t'), '{"q": {"decisions": [{"type": "reject"}, {"type": "approve"}]}}'
    )
  $$
);
select is(pg_temp.status_of('t'), 'PENDING');

select * from finish();
rollback;
