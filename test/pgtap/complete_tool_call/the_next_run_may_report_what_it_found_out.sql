-- It asked downstream with the same key: the effect had taken place.
begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', lease => '1 us');
select call_id from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1) \gset
select fencing_token from pgagent.claim_job('w2');

select throws_ok(format('select pgagent.complete_tool_call(%L, ''7'', 1)', :'call_id'), 'PA002');
select is(pgagent.complete_tool_call(:'call_id', '7', 2), 'SUCCEEDED');

select * from finish();
rollback;
