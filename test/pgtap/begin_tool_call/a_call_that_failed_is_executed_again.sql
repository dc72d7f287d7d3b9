begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset
select pgagent.fail_tool_call(:'call_id', '"no money"', fencing_token => 1);

select results_eq(
  $$
    select action, call_id, starts
    from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1)
  $$,
  format($$values ('execute', %L::uuid, 2)$$, :'call_id')
);
select results_eq(
  'select status, error, ended_at from pgagent.tool_calls',
  $$values ('STARTED' collate "C", null::jsonb, null::timestamptz)$$
);

select * from finish();
rollback;
