begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_event('t', 'a');
select pgagent.append_event('t', 'b');

select is((select count(distinct created_at) from pgagent.session_events), 2::bigint);

select * from finish();
rollback;
