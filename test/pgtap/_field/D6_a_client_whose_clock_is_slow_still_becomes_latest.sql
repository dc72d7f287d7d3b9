-- Ids of version 6 from two clients, the second an hour behind.
begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put('t', '1f0a8b60-4f2a-6c00-8000-000000000001');
select pg_temp.put('t', '1f0a8a00-4f2a-6c00-8000-000000000002');

select is(pg_temp.latest('t'), '1f0a8a00-4f2a-6c00-8000-000000000002');

select * from finish();
rollback;
