begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', lease => '1 us');
select pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1);
select fencing_token from pgagent.claim_job('w2');

select results_eq(
  $$
    select action, starts, outcome
    from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 2)
  $$,
  $$values ('in_doubt', 1, null::jsonb)$$
);
select results_eq(
  $$select action from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 2)$$,
  array['in_doubt'], 'as often as it asks'
);

select * from finish();
rollback;
