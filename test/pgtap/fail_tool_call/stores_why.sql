begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset

select is(pgagent.fail_tool_call(:'call_id', '"no money"', fencing_token => 1), 'FAILED');
select results_eq(
  'select status, error, ended_at is not null from pgagent.tool_calls',
  $$values ('FAILED' collate "C", '"no money"'::jsonb, true)$$
);
select is(
  pgagent.fail_tool_call(:'call_id', '"no money"', fencing_token => 1), 'FAILED', 'twice'
);

select * from finish();
rollback;
