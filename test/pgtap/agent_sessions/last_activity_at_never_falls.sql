begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent_test.advance('1 hour');
select pgagent.append_event('t', 'x');
select last_activity_at as before from pgagent.agent_sessions \gset
select pgagent_test.advance('-1 hour');
select pgagent.append_event('t', 'y');

select is((select last_activity_at from pgagent.agent_sessions), :'before'::timestamptz);

select * from finish();
rollback;
