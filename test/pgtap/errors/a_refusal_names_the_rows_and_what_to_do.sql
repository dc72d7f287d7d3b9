begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');

select matches(pg_temp.refusal(r.call), r.expected, r.call)
from (
  values
  (
    $$select pgagent.append_message('t', 'assistant', '"x"')$$,
    '^PA001 the thread is busy.* \| thread_id: t, job_id: .* \| Wait for the run'
  ),
  (
    $$select pgagent.append_message('t', 'assistant', '"x"', 7)$$,
    '^PA002 .* \| thread_id: t, token: 7, newest token: 1 \| Stop this run'
  ),
  (
    $$select pgagent.append_message('u', 'assistant', '"x"')$$,
    '^PA003 no such thread \| thread_id: u \| create_session'
  ),
  (
    $$select pgagent.create_session(repeat('x', 1025))$$,
    '^PA009 thread_id is longer than 1024 bytes \| limit: thread_id, bytes: 1025 \| See pgagent'
  )
) as r (call, expected);

select * from finish();
rollback;
