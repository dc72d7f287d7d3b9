begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('busy');
select pgagent.enqueue_job('known', '1', idempotency_key => 'k');
select pgagent.create_session('archived');
update pgagent.agent_sessions set status = 'ARCHIVED' where thread_id = 'archived';

select results_eq(
  $$
    select ordinal, status, enqueued, error ->> 'code', error ->> 'message' from pgagent.enqueue_jobs('[
      {"thread_id": "a", "payload": 1},
      {"thread_id": "a", "payload": 1, "priority": "high"},
      {"thread_id": "a", "payload": 1, "delay": "soon"},
      {"thread_id": "a", "payload": 1, "prority": 3},
      {"thread_id": "a"},
      7,
      {"thread_id": "a", "payload": 1, "on_busy": "interrupt"},
      {"thread_id": "busy", "payload": 1, "on_busy": "reject"},
      {"thread_id": "known", "payload": 2, "idempotency_key": "k"},
      {"thread_id": "archived", "payload": 1},
      {"thread_id": "z", "payload": 1, "on_busy": "reject"},
      {"thread_id": "z", "payload": 1, "on_busy": "reject"},
      {"thread_id": "a", "payload": 1, "max_attempts": 99999999999}
    ]', keep_rest => true)
  $$,
  $$
    values
    (1::bigint, 'PENDING', true, null, null),
    (2, null, false, 'PA008', 'a member is of another type'),
    (3, null, false, 'PA008', 'a member is of another type'),
    (4, null, false, 'PA008', 'a job has no such member'),
    (5, null, false, 'PA008', 'payload is required'),
    (6, null, false, 'PA008', 'a job must be a JSON object'),
    (7, null, false, 'PA008', 'on_busy must be enqueue or reject in a batch'),
    (8, null, false, 'PA001', 'the thread is busy: another job is live'),
    (9, null, false, 'PA004', 'the idempotency key was used before with another payload'),
    (10, null, false, 'PA006', 'the thread was archived'),
    (11, 'PENDING', true, null, null),
    (12, null, false, 'PA001', 'the thread is busy: another job is live'),
    (13, null, false, 'PA008', 'a member is of another type')
  $$
);
select is((select count(*) from pgagent.agent_jobs), 4::bigint);

select * from finish();
rollback;
