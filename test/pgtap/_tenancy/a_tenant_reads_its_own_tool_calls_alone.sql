begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select pg_temp.put('t', 'c1', step => 6);
select pgagent.begin_tool_call('t', 'pay', 'k', step_id => 'c1');
select become('t_tenant');
set local pgagent.user_id = 'bob';
select is_empty($$select * from pgagent.tool_at_step('t', 7)$$);
set local pgagent.user_id = 'alice';
select isnt_empty($$select * from pgagent.tool_at_step('t', 7)$$);

select * from finish();
rollback;
