begin;
\ir ../_lib.sql
select plan(4);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"x"');
select pgagent.append_message('t', 'tool_call', '"x"', tool_call_id => 'a');
select throws_ok($$select pgagent.record_summary('t', 2, '"x"')$$, 'PA008', null, 'an open call');
select pgagent.append_message('t', 'tool_result', '"x"', tool_call_id => 'a');
select throws_ok($$select pgagent.record_summary('t', 2, '"x"')$$, 'PA008', null, 'half of one');
select throws_ok($$select pgagent.record_summary('t', 4, '"x"')$$, 'PA008', null, 'what is not there');
select lives_ok($$select pgagent.record_summary('t', 3, '"x"')$$);

select * from finish();
rollback;
