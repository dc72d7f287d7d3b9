begin;
\ir ../_lib.sql
select plan(5);

select pgagent.enqueue_job('t', '1');
select pgagent.enqueue_job('t', '2');
select pg_temp.run('u');
select pgagent.pause_job(pg_temp.job('u'), 1, '{"q": 1}');

select results_eq(
  $$select * from pgagent.cancel_job(pg_temp.job('t'))$$,
  $$values ('cancelled', 'CANCELLED')$$, 'waiting'
);
select results_eq(
  $$
    select c.*
    from pgagent.agent_jobs as j
    cross join lateral pgagent.cancel_job(j.job_id) as c
    where j.payload = '1'
  $$, $$values ('cancelled', 'CANCELLED')$$, 'pending'
);
select results_eq(
  $$select * from pgagent.cancel_job(pg_temp.job('u'))$$,
  $$values ('cancelled', 'CANCELLED')$$, 'paused'
);
select results_eq(
  'select distinct status, active_job_id from pgagent.sessions',
  $$values ('IDLE' collate "C", null::uuid)$$
);
select is_empty($$select * from pgagent.claim_job('w1')$$);

select * from finish();
rollback;
