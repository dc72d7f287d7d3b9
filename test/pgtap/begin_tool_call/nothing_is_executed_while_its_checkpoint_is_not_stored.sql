-- After a crash the task would run again under another key, and the call with it.
begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select throws_ok(
  $$select pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1, step_id => 'c1')$$, 'PA007'
);
select pg_temp.put('t', 'c1', 1, ns => 'sub');
select throws_ok(
  $$select pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1, step_id => 'c1')$$,
  'PA007', null, 'in its namespace'
);
select results_eq(
  $$
    select action from pgagent.begin_tool_call(
      't', 'pay', 'k', fencing_token => 1, step_id => 'c1', checkpoint_ns => 'sub'
    )
  $$, array['execute']
);
select is((select step_id from pgagent.tool_calls), 'c1' collate "C");

select * from finish();
rollback;
