begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.append_messages('t', '[{"role": "assistant", "content": "a"}]', 1);

select is((select job_id from pgagent.session_messages), pg_temp.job('t'));

select * from finish();
rollback;
