begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', trace_id => 'trace1');
select pgagent.append_event('t', 'step_started', '{"node": "plan"}', 1);

select results_eq(
  $$
    select kind, data, job_id = pg_temp.job('t'), attempt, trace_id
    from pgagent.session_events order by seq desc limit 1
  $$,
  $$
    values (
      'step_started' collate "C", '{"node": "plan"}'::jsonb, true, 1, 'trace1' collate "C"
    )
  $$
);

select * from finish();
rollback;
