-- Whatever a function does wrong, these rows cannot exist.
begin;
\ir ../_lib.sql
select plan(8);

select pgagent.create_session('t');
select pg_temp.run('u');

select throws_ok(u.statement, '23514', null, u.statement)
from (
  values
  ('update pgagent.agent_sessions set status = ''BUSY'''),
  ('update pgagent.agent_sessions set owner_token = 0 where thread_id = ''t'''),
  ('update pgagent.agent_sessions set owner_token = null where thread_id = ''u'''),
  ('update pgagent.agent_sessions set fencing_token = 9 where thread_id = ''u'''),
  ('update pgagent.agent_sessions set active_job_id = null where thread_id = ''u'''),
  ('update pgagent.agent_sessions set completed_at = now()'),
  ('update pgagent.agent_sessions set deleted_at = now()'),
  ('update pgagent.agent_sessions set status = ''DELETED'', deleted_at = now(), '
    'active_job_id = gen_random_uuid() where thread_id = ''t''')
) as u (statement);

select * from finish();
rollback;
