-- The worker that lost its lease asks after the other has begun.
begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', lease => '1 us');
select fencing_token from pgagent.claim_job('w2');

select is(
  (select action from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 2)), 'execute'
);
select throws_ok(
  $$select pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1)$$, 'PA002'
);

select * from finish();
rollback;
