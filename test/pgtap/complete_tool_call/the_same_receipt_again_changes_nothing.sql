begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset
select pgagent.complete_tool_call(:'call_id', '7', 1);
select ended_at from pgagent.tool_calls \gset

select is(pgagent.complete_tool_call(:'call_id', '7', 1), 'SUCCEEDED');
select is((select ended_at from pgagent.tool_calls), :'ended_at'::timestamptz);

select * from finish();
rollback;
