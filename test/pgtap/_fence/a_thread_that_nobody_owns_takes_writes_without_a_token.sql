begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t');

select is((select seq from pgagent.append_message('t', 'assistant', '"x"')), 1::bigint);
select is(pg_temp.put('t', 'c1'), 1::bigint);
select pgagent.enqueue_job('t', '{}');
select is(pg_temp.put('t', 'c2'), 2::bigint, 'a job that is not running owns nothing');

select * from finish();
rollback;
