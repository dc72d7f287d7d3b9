begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '1', config => '{"model": "m"}', idempotency_key => 'k');

select throws_ok(
  $$select pgagent.enqueue_job('t', '2', config => '{"model": "m"}', idempotency_key => 'k')$$,
  'PA004'
);
select throws_ok(
  $$select pgagent.enqueue_job('t', '1', config => '{"model": "n"}', idempotency_key => 'k')$$,
  'PA004'
);
select is((select payload from pgagent.agent_jobs), '1'::jsonb);

select * from finish();
rollback;
