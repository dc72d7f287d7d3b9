begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');

select is(pgagent.complete_job(pg_temp.job('t'), 1, '{"answer": 42}'), 'COMPLETED');
select results_eq(
  $$
    select status, result, lease_owner, lease_expires_at, completed_at is not null, attempt
    from pgagent.agent_jobs
  $$,
  $$
    values (
      'COMPLETED' collate "C", '{"answer": 42}'::jsonb, null::text collate "C", null::timestamptz,
      true, 1
    )
  $$
);
select results_eq(
  $$
    select status, owner_token, active_job_id, fencing_token, completed_at is not null
    from pgagent.sessions
  $$,
  $$values ('COMPLETED' collate "C", null::bigint, null::uuid, 1::bigint, true)$$
);

select * from finish();
rollback;
