begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1, "r": 2}');

select results_eq(
  $$
    select e.kind, e.data - 'approval_id'
    from pgagent.session_events as e where e.seq > 2 order by e.seq
  $$,
  $$
    values
    (
      'job_paused' collate "C",
      '{"status": "AWAITING_HUMAN", "waiting_for": {"q": 1, "r": 2}}'::jsonb
    ),
    ('pending_approval', '{"checkpoint_id": "c1", "interrupt_id": "q"}'),
    ('pending_approval', '{"checkpoint_id": "c1", "interrupt_id": "r"}')
  $$
);

select * from finish();
rollback;
