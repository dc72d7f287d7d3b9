begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');

select results_eq(
  'select kind, data from pgagent.session_events order by seq desc limit 1',
  $$
    values (
      'job_paused' collate "C", '{"status": "AWAITING_HUMAN", "waiting_for": {"q": 1}}'::jsonb
    )
  $$
);

select * from finish();
rollback;
