-- One row a run, one row an attempt, one trace over all of them.
begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '{}', trace_id => 'trace1');
select fencing_token from pgagent.claim_job('w1');
select pgagent.fail_job(pg_temp.job('t'), 1, '"one"', retry_in => '0');
select fencing_token from pgagent.claim_job('w1');
select pgagent.fail_job(pg_temp.job('t'), 2, '"two"', retry_in => '0');
select fencing_token from pgagent.claim_job('w1');
select pgagent.complete_job(pg_temp.job('t'), 3);

select is((select count(*) from pgagent.agent_jobs), 1::bigint);
select results_eq(
  'select attempt, outcome, error from pgagent.job_attempts order by token',
  $$
    values
    (1, 'failed' collate "C", '"one"'::jsonb), (2, 'failed', '"two"'), (3, 'completed', null)
  $$
);
select is((select count(distinct trace_id) from pgagent.session_events), 1::bigint);

select * from finish();
rollback;
