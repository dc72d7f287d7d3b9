begin;
\ir ../_lib.sql
select plan(8);

select pg_temp.run('t');
select pgagent.append_message('t', 'user', '"hi"');
select pgagent.append_message('t', 'assistant', '"x"', 1, turn => 'a');
select pgagent.record_summary('t', 1, '"said hi"', 1);
select pgagent.append_event('t', 'step', null, 1);
select pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1);
select pgagent.record_usage('t', 'u', 5, fencing_token => 1);
select pg_temp.put('t', 'c1', 1);
select pg_temp.job('t') as old \gset
select pgagent.enqueue_job('t', '2', on_busy => 'rollback');

select results_eq(
  'select seq, retracted_at is not null from pgagent.session_messages order by seq',
  $$values (1::bigint, false), (2, true)$$
);
select results_eq(
  'select kind, rolled_back_at is not null from pgagent.session_events order by seq',
  $$
    values ('job_enqueued' collate "C", true), ('job_claimed', true), ('step', true),
    ('job_enqueued', false), ('job_cancelled', true)
  $$
);
select ok((select rolled_back_at is not null from pgagent.tool_calls), 'tool calls');
select ok((select rolled_back_at is not null from pgagent.usage_records), 'usage');
select ok(
  (select bool_and((rolled_back_at is not null) = (job_id = :'old')) from pgagent.agent_jobs),
  'the job'
);
select is_empty('select from pgagent.context_summaries', 'its summaries are gone');
select is((select head_checkpoint_id from pgagent.agent_sessions), null, 'the head');
select pgagent.claim_job('w1');
select results_eq(
  $$select * from pgagent.append_message('t', 'assistant', '"x"', 2, turn => 'a')$$,
  'values (3::bigint, true)', 'the key of what was retracted is free'
);

select * from finish();
rollback;
