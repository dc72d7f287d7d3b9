-- But a task's writes: the tasks of a step must not wait for each other over this row.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(8);

create function pg_temp.moved(call text) returns boolean
language plpgsql volatile
as $$
declare
  v_before timestamptz;
begin
  select last_activity_at into v_before from pgagent.agent_sessions where thread_id = 't';
  perform pgagent_test.advance('1 s');
  execute call;
  return (select last_activity_at > v_before from pgagent.agent_sessions where thread_id = 't');
end
$$;
select pg_temp.busy_thread('t');

select ok(pg_temp.moved(c.call), c.routine)
from pg_temp.calls('t', 2) as c
where c.routine in (
  'append_message', 'append_messages', 'append_event', 'record_usage', 'enqueue_job',
  'put_checkpoint', 'begin_tool_call'
);
select ok(
  not pg_temp.moved($$select * from pgagent.get_checkpoint('t')$$), 'a read does not'
);

select * from finish();
rollback;
