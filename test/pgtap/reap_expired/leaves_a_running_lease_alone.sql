begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent_test.advance('59 s');

select is(pgagent.reap_expired(), 0::bigint);
select is(pg_temp.status_of('t'), 'IN_PROGRESS');

select * from finish();
rollback;
