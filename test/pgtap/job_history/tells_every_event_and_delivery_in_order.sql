begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '{}');
select pgagent.enqueue_job('t', '"another"');
create temporary table job as select job_id from pgagent.agent_jobs where seq = 1;
select fencing_token from pgagent.claim_job('w1');
select pgagent_test.advance('61 s');
select pgagent.reap_expired();
select fencing_token from pgagent.claim_job('w2');
select pgagent.append_event('t', 'thinking', null, 2);
select pgagent.fail_job(job_id, 2, '{"type": "Bug"}', fatal => true) from job;
select pgagent.append_event('t', 'elsewhere');
select pgagent.requeue_job(job_id) from job;

select results_eq(
  $$
    select h.source, h.kind, h.attempt, h.token, h.worker
    from job, pgagent.job_history(job_id) as h
  $$,
  $$
    values
    ('event', 'job_enqueued', null::integer, null::bigint, null),
    ('event', 'job_claimed', 1, null, 'w1'),
    ('event', 'job_lost', 1, null, null),
    ('attempt', 'lost', 1, 1, 'w1'),
    ('event', 'job_claimed', 2, null, 'w2'),
    ('event', 'thinking', 2, null, null),
    ('event', 'job_failed', 2, null, null),
    ('attempt', 'failed', 2, 2, 'w2'),
    ('event', 'job_requeued', 2, null, null)
  $$
);
select is_empty('select * from pgagent.job_history(gen_random_uuid())');

select * from finish();
rollback;
