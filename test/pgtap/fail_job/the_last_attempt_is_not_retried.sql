begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '{}', max_attempts => 2);
select fencing_token from pgagent.claim_job('w1');
select is(pgagent.fail_job(pg_temp.job('t'), 1, '"first"', retry_in => '0'), 'PENDING');
select fencing_token from pgagent.claim_job('w1');
select is(pgagent.fail_job(pg_temp.job('t'), 2, '"second"', retry_in => '0'), 'FAILED');

select results_eq(
  'select token, attempt, outcome, job_status, error from pgagent.job_attempts order by token',
  $$
    values
    (1::bigint, 1, 'failed' collate "C", 'PENDING' collate "C", '"first"'::jsonb),
    (2, 2, 'failed', 'FAILED', '"second"')
  $$, 'a row each tells what happened'
);

select * from finish();
rollback;
