begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.create_session('u');
select pgagent.record_usage('t', 'k', 1);

select is(pgagent.record_usage('u', 'k', 2), true);

select * from finish();
rollback;
