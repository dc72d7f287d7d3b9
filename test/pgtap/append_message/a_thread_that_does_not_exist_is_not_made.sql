begin;
\ir ../_lib.sql
select plan(2);

select throws_ok($$select pgagent.append_message('t', 'user', '"x"')$$, 'PA003');
select is_empty('select * from pgagent.agent_sessions');

select * from finish();
rollback;
