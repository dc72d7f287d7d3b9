begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_event('t', 'x', '1');

select is(pgagent.append_event('t', 'x', '1'), 2::bigint);

select * from finish();
rollback;
