begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select count(*)::integer from pg_temp.calls('t', 1)));

select pg_temp.busy_thread('t');
select become('t_stranger');

select throws_ok(c.call, '42501', null, c.routine) from pg_temp.calls('t', 2) as c;

select * from finish();
rollback;
