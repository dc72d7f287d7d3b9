begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');
select pgagent.append_message('t', 'tool_call', '{}', tool_call_id => c.id)
from unnest('{c1,c2}'::text[]) as c (id);
select pgagent.append_message('t', 'tool_result', '"ok"', turn => '7', tool_call_id => 'c1');

select is(
  (
    select appended
    from pgagent.append_message('t', 'tool_result', '"ok"', turn => '7', tool_call_id => 'c2')
  ),
  true, 'equal content, another call'
);
select is(
  (
    select appended
    from pgagent.append_message('t', 'tool_result', '"ok"', turn => '7', tool_call_id => 'c1')
  ),
  false, 'the same call'
);

select * from finish();
rollback;
