begin;
\ir ../_lib.sql
select plan(5);

select pgagent.enqueue_job('live', '"first"');
select pgagent.enqueue_job('known', '"k"', idempotency_key => 'k');

create temporary table answers as
select * from pgagent.enqueue_jobs('[
  {"thread_id": "z", "payload": 1, "priority": 7, "delay": 5, "queue": "q"},
  {"thread_id": "live", "payload": 2},
  {"thread_id": "a", "payload": 3, "timeout": "1 hour", "config": {"model": "m"}},
  {"thread_id": "z", "payload": 4, "delay": null},
  {"thread_id": "known", "payload": "k", "idempotency_key": "k"},
  {"thread_id": "a", "payload": 5, "idempotency_key": "k"},
  {"thread_id": "a", "payload": 5, "idempotency_key": "k"}
]');

select results_eq(
  $$
    select a.ordinal, j.thread_id, j.payload, a.status, a.enqueued, a.error
    from answers as a
    join pgagent.agent_jobs as j using (job_id)
  $$,
  $$
    values
    (1::bigint, 'z' collate "C", '1'::jsonb, 'WAITING', true, null::jsonb),
    (2, 'live', '2', 'WAITING', true, null),
    (3, 'a', '3', 'PENDING', true, null),
    (4, 'z', '4', 'PENDING', true, null),
    (5, 'known', '"k"', 'PENDING', false, null),
    (6, 'a', '5', 'WAITING', true, null),
    (7, 'a', '5', 'WAITING', false, null)
  $$
);
select results_eq(
  $$
    select thread_id, seq, queue, priority::integer, timeout, config, status
    from pgagent.agent_jobs where thread_id in ('a', 'z') order by thread_id, seq
  $$,
  $$
    values
    ('a' collate "C", 1::bigint, 'default' collate "C", 0, '1 hour'::interval,
      '{"model": "m"}'::jsonb, 'PENDING' collate "C"),
    ('a', 2, 'default', 0, null, '{}', 'WAITING'),
    ('z', 1, 'q', 7, null, '{}', 'WAITING'),
    ('z', 2, 'default', 0, null, '{}', 'PENDING')
  $$
);
select results_eq(
  $$
    select s.thread_id, s.last_job_seq, s.last_event_seq, j.seq
    from pgagent.agent_sessions as s join pgagent.agent_jobs as j on j.job_id = s.active_job_id
    order by 1
  $$,
  $$
    values ('a' collate "C", 2::bigint, 2::bigint, 1::bigint), ('known', 1, 1, 1),
    ('live', 2, 2, 1), ('z', 2, 2, 2)
  $$
);
select results_eq(
  $$
    select e.thread_id, e.seq, e.kind, j.seq
    from pgagent.session_events as e join pgagent.agent_jobs as j using (job_id)
    order by 1, 2
  $$,
  $$
    values ('a' collate "C", 1::bigint, 'job_enqueued' collate "C", 1::bigint),
    ('a', 2, 'job_enqueued', 2), ('known', 1, 'job_enqueued', 1), ('live', 1, 'job_enqueued', 1),
    ('live', 2, 'job_enqueued', 2), ('z', 1, 'job_enqueued', 1), ('z', 2, 'job_enqueued', 2)
  $$
);
select ok(
  (select bool_and(right(job_id::text, 4) = substr(encode(sha256(thread_id::bytea), 'hex'), 1, 4))
   from pgagent.agent_jobs),
  'the ids tell where their threads live'
);

select * from finish();
rollback;
