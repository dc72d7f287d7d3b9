begin;
\ir ../_lib.sql
select plan(7);

select pg_temp.pause('t', '1 hour');
select pgagent_test.advance('59 minutes');
select is(pgagent.expire_approvals(), 0::bigint);
select pgagent_test.advance('2 minutes');
select is(pgagent.expire_approvals(), 1::bigint);

select is((select status from pgagent.approvals), 'TIMED_OUT' collate "C");
select results_eq(
  'select status, error ->> $$type$$ from pgagent.agent_jobs',
  $$values ('TIMED_OUT' collate "C", 'approval_timed_out')$$
);
select results_eq(
  'select status, active_job_id from pgagent.sessions', $$values ('FAILED' collate "C", null::uuid)$$
);
select set_has(
  'select kind::text from pgagent.session_events',
  $$values ('approval_timed_out'), ('job_timed_out')$$
);
select is(pgagent.expire_approvals(), 0::bigint, 'once');

select * from finish();
rollback;
