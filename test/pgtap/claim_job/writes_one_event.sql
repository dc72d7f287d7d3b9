begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '{}', trace_id => 'trace1');
select fencing_token from pgagent.claim_job('w1');

select results_eq(
  $$
    select seq, kind, data, job_id = pg_temp.job('t'), attempt, trace_id
    from pgagent.session_events where seq > 1
  $$,
  $$
    values (
      2::bigint, 'job_claimed' collate "C", '{"token": 1, "worker": "w1"}'::jsonb, true, 1,
      'trace1' collate "C"
    )
  $$
);

select * from finish();
rollback;
