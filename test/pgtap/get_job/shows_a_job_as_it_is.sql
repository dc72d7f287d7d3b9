begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '{"input": 1}', trace_id => 'trace1');
select fencing_token from pgagent.claim_job('w1');
select pgagent.complete_job(pg_temp.job('t'), 1, '{"answer": 42}');

select results_eq(
  $$
    select id = pg_temp.job('t'), thread_id, seq, status, payload, result, attempt, fencing_token
    from pgagent.get_job(pg_temp.job('t'))
  $$,
  $$
    values (
      true, 't', 1::bigint, 'COMPLETED', '{"input": 1}'::jsonb, '{"answer": 42}'::jsonb, 1,
      1::bigint
    )
  $$
);

select * from finish();
rollback;
