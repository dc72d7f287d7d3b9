begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset
select pgagent.fail_tool_call(:'call_id', '"time-out"', in_doubt => true, fencing_token => 1);

select results_eq(
  $$select action from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1)$$,
  array['in_doubt']
);
select results_eq(
  $$
    select action
    from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1, take_over => true)
  $$, array['execute']
);

select * from finish();
rollback;
