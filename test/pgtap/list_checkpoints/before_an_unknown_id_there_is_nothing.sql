begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1');
select pg_temp.put('u', 'c2');

select is(pg_temp.list('t', '', 'c2'), null, 'known in another thread');
select is(pg_temp.list('t', '', 'c9'), null);
select is(pg_temp.list('t', ''), '{c1}');

select * from finish();
rollback;
