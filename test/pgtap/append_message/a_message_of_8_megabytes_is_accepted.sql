begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', to_jsonb(repeat('x', 8388000)));

select is((select length(content #>> '{}') from pgagent.session_messages), 8388000);

select * from finish();
rollback;
