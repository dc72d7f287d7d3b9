begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '{}');
select fencing_token from pgagent.claim_job('w1');
select pgagent.append_event('t', 'step_started', null, 1);
select pgagent.append_event('t', 'tool_call', null, 1);
select pgagent.append_event('t', 'complete', null, 1);
select pgagent.complete_job(pg_temp.job('t'), 1);

select results_eq(
  'select seq, kind from pgagent.session_events order by seq',
  $$
    values
    (1::bigint, 'job_enqueued' collate "C"), (2, 'job_claimed'), (3, 'step_started'),
    (4, 'tool_call'), (5, 'complete'), (6, 'job_completed')
  $$
);

select * from finish();
rollback;
