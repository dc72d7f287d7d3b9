begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.pause_job(
  pg_temp.job('t'), 1,
  '{"q": {
    "action_requests": [{"name": "pay", "args": {}}],
    "review_configs": [{"action_name": "pay", "allowed_decisions": ["approve", "reject"]}]
  }}'
);

select throws_ok(
  $$select pgagent.decide_approval(pg_temp.approval('t'), 'edit', '{"args": {}}')$$, 'PA008'
);
select throws_ok(
  $$select pgagent.decide_approval(pg_temp.approval('t'), 'respond', response => '"x"')$$, 'PA008'
);
select lives_ok($$select pgagent.decide_approval(pg_temp.approval('t'), 'reject')$$);

select * from finish();
rollback;
