begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');

select is(pgagent.delete_session('t'), true);

select * from finish();
rollback;
