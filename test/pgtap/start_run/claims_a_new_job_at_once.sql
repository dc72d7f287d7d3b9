begin;
\ir ../_lib.sql
select plan(4);

select results_eq(
  $$
    select job_id = pg_temp.job('t'), fencing_token, lease_left, deadline_left
    from pgagent.start_run(
      't', 'w1', '{"input": 1}', lease => '30 s', timeout => '1 hour', max_attempts => 5
    )
  $$,
  $$values (true, 1::bigint, interval '30 s', interval '1 hour')$$
);
select results_eq(
  'select status, lease_owner, payload, attempt, max_attempts from pgagent.agent_jobs',
  $$
    values (
      'IN_PROGRESS' collate "C", 'w1' collate "C", '{"input": 1}'::jsonb, 1, 5
    )
  $$
);
select results_eq(
  'select status, owner_token from pgagent.sessions',
  $$values ('RUNNING' collate "C", 1::bigint)$$
);
select results_eq(
  'select kind from pgagent.session_events order by seq',
  $$values ('job_enqueued' collate "C"), ('job_claimed')$$
);

select * from finish();
rollback;
