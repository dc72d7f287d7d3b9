-- As the role that workers have, not as the owner.
begin;
\ir ../_lib.sql
select plan(4);

select become('t_worker');
select pgagent.enqueue_job('t', '{}');
select job_id from pgagent.claim_job('w1') \gset
select pgagent.renew_lease(:'job_id', 1);
select pg_temp.put('t', 'c1', 1);
select pg_temp.put_write('t', 'c1', 'a', 0, 'v', 1);
select call_id
from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1, step_id => 'c1') \gset
select pgagent.complete_tool_call(:'call_id', '7', 1);
select pgagent.append_message('t', 'assistant', '"x"', 1);
select pgagent.append_event('t', 'step', null, 1);
select pgagent.record_usage('t', 'u', 1, fencing_token => 1);

select is(pgagent.complete_job(:'job_id', 1, '"done"'), 'COMPLETED');
select is(pg_temp.latest('t'), 'c1', 'and reads what it wrote');
select is((select result from pgagent.get_job(:'job_id')), '"done"'::jsonb);
select is((select count(*) from pgagent.session_messages), 1::bigint);

select * from finish();
rollback;
