begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset

select is(pgagent.complete_tool_call(:'call_id', '{"receipt": 7}', 1), 'SUCCEEDED');
select results_eq(
  'select status, result, ended_at is not null from pgagent.tool_calls',
  $$values ('SUCCEEDED' collate "C", '{"receipt": 7}'::jsonb, true)$$
);

select * from finish();
rollback;
