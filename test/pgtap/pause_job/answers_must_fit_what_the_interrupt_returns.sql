begin;
\ir ../_lib.sql
select plan(5);

select pg_temp.run('t');
select pgagent.pause_job(
  pg_temp.job('t'), 1, '{"q": "how many?"}',
  response_schemas => '{"q": {"type": "integer", "minimum": 1}, "r": {"type": "string"}}'
);

select matches(
  pg_temp.refusal($$select pgagent.resume_job(pg_temp.job('t'), '{"q": "three"}')$$),
  '^PA008 .*the answer must be integer'
);
select throws_ok(
  $$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$, 'PA008', null,
  'true is no number'
);
select throws_ok(
  $$select pgagent.decide_approval(pg_temp.approval('t'), 'respond', response => '0')$$, 'PA008'
);
select is((select status from pgagent.approvals), 'PENDING' collate "C");
select lives_ok(
  $$select pgagent.decide_approval(pg_temp.approval('t'), 'respond', response => '3')$$
);

select * from finish();
rollback;
