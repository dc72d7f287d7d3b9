begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1);

select results_eq(
  $$select action, starts from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1)$$,
  $$values ('busy', 1)$$
);
select results_eq(
  $$
    select action
    from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1, take_over => true)
  $$, array['busy'], 'which it cannot take over'
);

select * from finish();
rollback;
