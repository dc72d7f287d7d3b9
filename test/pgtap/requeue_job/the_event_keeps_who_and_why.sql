begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '{}');
select pgagent.cancel_job(pg_temp.job('t'), 'by mistake', 'alice');
select pgagent.requeue_job(pg_temp.job('t'), 'alice was wrong', 'bob');

select results_eq(
  'select kind, data from pgagent.session_events order by seq desc limit 1',
  $$
    values (
      'job_requeued' collate "C",
      '{"by": "bob", "reason": "alice was wrong", "was": "CANCELLED", "status": "PENDING",
        "cancelled_by": "alice", "cancel_reason": "by mistake"}'::jsonb
    )
  $$
);
select become('t_worker');
select pgagent.cancel_job(pg_temp.job('t'));
select pgagent.requeue_job(pg_temp.job('t'));
select is(
  (select data ->> 'by' from pgagent.session_events order by seq desc limit 1), 't_worker',
  'by default the caller'
);

select * from finish();
rollback;
