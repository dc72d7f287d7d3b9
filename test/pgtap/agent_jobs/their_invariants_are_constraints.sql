begin;
\ir ../_lib.sql
select plan(10);

select pgagent.enqueue_job('t', '1');
select pg_temp.run('u');

select throws_ok(u.statement, '23514', null, u.statement)
from (
  values
  ('update pgagent.agent_jobs set status = ''CREATED'''),
  ('update pgagent.agent_jobs set priority = 10'),
  ('update pgagent.agent_jobs set attempt = -1'),
  ('update pgagent.agent_jobs set max_attempts = 0'),
  ('update pgagent.agent_jobs set status = ''IN_PROGRESS'' where thread_id = ''t'''),
  ('update pgagent.agent_jobs set lease_owner = null where thread_id = ''u'''),
  ('update pgagent.agent_jobs set status = ''COMPLETED'' where thread_id = ''t'''),
  ('update pgagent.agent_jobs set status = ''AWAITING_HUMAN'' where thread_id = ''t'''),
  ('update pgagent.agent_jobs set result = ''1'''),
  ('update pgagent.agent_jobs set idempotency_key = ''k''')
) as u (statement);

select * from finish();
rollback;
