begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset
select pgagent.complete_tool_call(:'call_id', '7', 1);

select throws_ok(format('select pgagent.complete_tool_call(%L, ''8'', 1)', :'call_id'), 'PA004');
select is((select result from pgagent.tool_calls), '7'::jsonb);

select * from finish();
rollback;
