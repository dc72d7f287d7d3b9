begin;
\ir ../_lib.sql
select plan(5);

select alike(
  pg_temp.refusal($$select pgagent.enqueue_jobs('[
    {"thread_id": "a", "payload": 1}, {"thread_id": "b", "payload": 1, "priority": 99},
    {"thread_id": "", "payload": 1}
  ]')$$),
  'PA008 jobs[1]: priority must be from 0 to 9%'
);
select is_empty('select from pgagent.agent_sessions');
select pg_temp.run('busy');
select alike(
  pg_temp.refusal($$select pgagent.enqueue_jobs('[
    {"thread_id": "a", "payload": 1}, {"thread_id": "busy", "payload": 1, "on_busy": "reject"}
  ]')$$),
  'PA001 jobs[1]: the thread is busy%'
);
select alike(
  pg_temp.refusal($$select pgagent.enqueue_jobs('[
    {"thread_id": "a", "payload": 1, "idempotency_key": "k"},
    {"thread_id": "a", "payload": 2, "idempotency_key": "k"}
  ]')$$),
  'PA004 jobs[1]: the idempotency key was used before%'
);
select is((select count(*) from pgagent.agent_jobs), 1::bigint);

select * from finish();
rollback;
