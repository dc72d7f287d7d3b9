begin;
\ir ../_lib.sql
select plan(5);

-- The first job fails, the second goes on from where it stopped and completes, the first runs again.
select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1, 'input');
select pg_temp.put_write('t', 'c1', 'task', 0, 'x', 1);
select pgagent.append_message('t', 'assistant', '"first"', 1);
select pgagent.fail_job(pg_temp.job('t'), 1, '"x"', fatal => true);
select pg_temp.job('t') as first \gset
select pg_temp.run('t');
select pg_temp.put('t', 'c2', 2, 'input', parent => 'c1');
select pgagent.complete_job(pg_temp.job('t'), 2);
select pgagent.requeue_job(:'first');
select pgagent.claim_job('w1');
select pg_temp.put('t', 'c3', 3, 'input', parent => 'c2');
select pg_temp.put_write('t', 'c2', 'task', 0, 'x', 3);
select pgagent.append_message('t', 'assistant', '"again"', 3);
select pgagent.enqueue_job('t', '1', on_busy => 'rollback');

select set_eq('select checkpoint_id::text from pgagent.checkpoints', array['c1', 'c2']);
select is((select head_checkpoint_id from pgagent.agent_sessions), 'c2' collate "C");
select set_eq('select checkpoint_id::text from pgagent.checkpoint_writes', array['c1']);
select results_eq(
  'select content, retracted_at is null from pgagent.session_messages order by seq',
  $$values ('"first"'::jsonb, true), ('"again"', false)$$
);
select is(
  (select count(*) from pgagent.session_events where kind = 'job_claimed' and rolled_back_at is null),
  2::bigint
);

select * from finish();
rollback;
