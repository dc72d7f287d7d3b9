begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset
select pgagent.fail_tool_call(:'call_id', '"no"', fencing_token => 1);

select throws_ok(format('select pgagent.complete_tool_call(%L, ''8'', 1)', :'call_id'), 'PA005');

select * from finish();
rollback;
