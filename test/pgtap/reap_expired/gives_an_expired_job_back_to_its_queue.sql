begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select pgagent_test.advance('61 s');

select is(pgagent.reap_expired(), 1::bigint);
select results_eq(
  'select status, lease_owner, lease_expires_at, attempt from pgagent.agent_jobs',
  $$values ('PENDING' collate "C", null::text collate "C", null::timestamptz, 1)$$
);
select results_eq(
  'select status, owner_token, active_job_id from pgagent.sessions',
  $$values ('IDLE' collate "C", null::bigint, pg_temp.job('t'))$$
);
select is(pgagent.reap_expired(), 0::bigint, 'once');

select * from finish();
rollback;
