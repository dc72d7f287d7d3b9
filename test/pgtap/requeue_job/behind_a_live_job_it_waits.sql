begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('t', '"first"');
select fencing_token from pgagent.claim_job('w1');
create temporary table first as select pg_temp.job('t') as job_id;
select pgagent.fail_job(job_id, 1, '1', fatal => true) from first;
select pgagent.enqueue_job('t', '"second"');

select results_eq(
  'select r.status, r.requeued from first, pgagent.requeue_job(job_id) as r',
  $$values ('WAITING', true)$$
);
select is((select payload from pgagent.claim_job('w1')), '"second"'::jsonb);
select is(pg_temp.finish_and_claim('t'), '"first"'::jsonb, 'its turn comes');
select is(
  (select count(*) from pgagent.agent_sessions where active_job_id = (select job_id from first)),
  1::bigint
);

select * from finish();
rollback;
