begin;
\ir ../_lib.sql
select plan(6);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '{}');
select pgagent.begin_tool_call('t', 'look', 'a', '1', 1);
select pgagent.begin_tool_call('t', 'look', 'b', '1', 1, on_loop => 'fail');

select is(
  (select action from pgagent.begin_tool_call('t', 'look', 'c', '1', 1, on_loop => 'fail')),
  'stopped'
);
select results_eq(
  $$
    select j.status, j.error ->> 'type', jsonb_array_length(j.error -> 'calls')
    from pgagent.agent_jobs as j
    where j.seq = 1
  $$,
  $$values ('FAILED' collate "C", 'loop', 3)$$
);
select is(
  (select status from pgagent.tool_calls where idempotency_key = 'c'), 'FAILED',
  'the call was not executed'
);
select is(
  (select outcome from pgagent.job_attempts), 'failed', 'the attempt says so'
);
select is(
  (select fencing_token from pgagent.claim_job('w2')), 2::bigint, 'the thread is free'
);
select throws_ok(
  $$select pgagent.append_message('t', 'assistant', '"x"', 1)$$,
  'PA002', null, 'the run writes nothing more'
);

select * from finish();
rollback;
