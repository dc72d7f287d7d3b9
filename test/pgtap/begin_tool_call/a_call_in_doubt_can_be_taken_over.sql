begin;
\ir ../_lib.sql
select plan(3);

select pgagent.start_run('t', 'w1', lease => '1 us');
select pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1);
select fencing_token from pgagent.claim_job('w2');

select results_eq(
  $$
    select action, starts
    from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 2, take_over => true)
  $$,
  $$values ('execute', 2)$$
);
select is((select token from pgagent.tool_calls), 2::bigint);
select results_eq(
  $$select action from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 2)$$,
  array['busy'], 'and is its own from then on'
);

select * from finish();
rollback;
