-- A run that fails twice and then succeeds: one row, an attempt a delivery, one trace.
begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '1', trace_id => 'trace');
do $$
declare
  j record;
begin
  for n in 1 .. 3 loop
    select * into j from pgagent.claim_job('w' || n);
    if n < 3 then
      perform pgagent.fail_job(j.job_id, j.fencing_token, to_jsonb('error ' || n));
      perform pgagent_test.advance('1 min');
    else
      perform pgagent.complete_job(j.job_id, j.fencing_token, '"well"');
    end if;
  end loop;
end
$$;

select results_eq(
  'select status, attempt, result, error from pgagent.agent_jobs',
  $$values ('COMPLETED' collate "C", 3, '"well"'::jsonb, '"error 2"'::jsonb)$$
);
select results_eq(
  $$
    select attempt, worker, outcome, error, ended_at >= started_at
    from pgagent.job_attempts order by token
  $$,
  $$
    values
    (1, 'w1' collate "C", 'failed' collate "C", '"error 1"'::jsonb, true),
    (2, 'w2', 'failed', '"error 2"', true), (3, 'w3', 'completed', null, true)
  $$
);
select results_eq(
  'select distinct trace_id from pgagent.session_events', array['trace'] collate "C"
);

select * from finish();
rollback;
