begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');

select results_eq(
  $$
    select action, starts, outcome
    from pgagent.begin_tool_call(
      't', 'pay', 'k', '{"amount": 10}', 1, call_position => 2
    )
  $$,
  $$values ('execute', 1, null::jsonb)$$
);
select results_eq(
  $$
    select tool, args, idempotency_key, status, position, token, attempts, job_id = pg_temp.job('t')
    from pgagent.tool_calls
  $$,
  $$
    values (
      'pay' collate "C", '{"amount": 10}'::jsonb, 'k' collate "C", 'STARTED' collate "C", 2,
      1::bigint, 1, true
    )
  $$
);

select * from finish();
rollback;
