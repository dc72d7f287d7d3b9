begin;
\ir ../_lib.sql
select plan(4);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"x"', turn => '7');

select is((select appended from pgagent.append_message('t', 'user', '"x"', turn => '8')), true);
select is((select appended from pgagent.append_message('t', 'system', '"x"', turn => '7')), true);
select is((select appended from pgagent.append_message('t', 'user', '"y"', turn => '7')), true);
select is((select appended from pgagent.append_message('t', 'user', '"x"')), true, 'no turn');

select * from finish();
rollback;
