begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.record_usage('t', 'k', cost => 1.5);

select is(pgagent.record_usage('t', 'k', cost => 1.500), false);

select * from finish();
rollback;
