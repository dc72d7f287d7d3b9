begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset

select is(
  pgagent.fail_tool_call(:'call_id', '"time-out"', in_doubt => true, fencing_token => 1),
  'IN_DOUBT'
);
select is(pgagent.complete_tool_call(:'call_id', '7', 1), 'SUCCEEDED', 'and can be settled');

select * from finish();
rollback;
