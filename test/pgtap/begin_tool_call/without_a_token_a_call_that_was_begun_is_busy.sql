begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.begin_tool_call('t', 'pay', 'k');

select results_eq(
  $$select action from pgagent.begin_tool_call('t', 'pay', 'k')$$, array['busy']
);

select * from finish();
rollback;
