-- Eight days later, when the checkpoints are pruned. The tasks of a checkpoint run in the step after
-- it; those of a subgraph's in the step of the graph.
begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t') as token \gset
select pg_temp.put('t', 'c' || n, :token, step => n, parent => 'c' || nullif(n - 1, 0))
from generate_series(1, 9) as n;
select pg_temp.put('t', 's1', :token, ns => 'sub', step => 41, parents => '{"": "c6"}');
select pgagent.begin_tool_call('t', 'search', 'k0', fencing_token => :token, step_id => 'c5');
select pgagent.begin_tool_call(
  't', 'pay', 'k1', '{"eur": 5}', fencing_token => :token, step_id => 'c6', call_position => 1
);
select pgagent.begin_tool_call(
  't', 'inner', 'k2', fencing_token => :token, step_id => 's1', checkpoint_ns => 'sub'
);
select pgagent.begin_tool_call('t', 'mail', 'k3', fencing_token => :token);
select pgagent.complete_tool_call(t.call_id, '"done"', :token)
from pgagent.tool_calls as t where t.tool = 'pay';
select pgagent_test.advance('8 days');
select pgagent.prune_history('t');

select results_eq(
  $$
    select t.tool, t.args, t.status, t.result, t.call_position, t.step_id
    from pgagent.tool_at_step('t', 7) as t
  $$,
  $$
    values
    ('pay', '{"eur": 5}'::jsonb, 'SUCCEEDED', '"done"'::jsonb, 1, 'c6'),
    ('inner', '{}', 'STARTED', null, null, 's1')
  $$
);
select results_eq(
  $$select t.tool from pgagent.tool_at_step('t', 6) as t$$, array['search']
);
select is_empty($$select * from pgagent.tool_at_step('t', 42)$$);
select is_empty($$select * from pgagent.tool_at_step('nowhere', 7)$$);

select * from finish();
rollback;
