begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.begin_tool_call('t', 'look', 'a', '1', 1);
select pgagent.begin_tool_call('t', 'look', 'b', '1', 1);
select pgagent.complete_job(pg_temp.job('t'), 1);
select pgagent.begin_tool_call('t', 'look', 'c', '1');
select pg_temp.run('t');
select pgagent.begin_tool_call('t', 'look', 'd', '1', 2);

select is_empty($$select 1 from pgagent.session_events where kind = 'loop_suspected'$$);
select pgagent.begin_tool_call('t', 'look', 'e', '1', 2);
select pgagent.begin_tool_call('t', 'look', 'f', '1', 2);
select isnt_empty($$select 1 from pgagent.session_events where kind = 'loop_suspected'$$);

select * from finish();
rollback;
