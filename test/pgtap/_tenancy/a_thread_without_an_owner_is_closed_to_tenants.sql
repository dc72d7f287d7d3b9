-- Also to those that name nobody, as it does.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select 2 * count(*)::integer from pg_temp.calls('t', 1) where kind = 'tenant'));

select pg_temp.busy_thread('t');
select become('t_tenant');

select throws_ok(c.call, 'PA011', null, c.routine)
from pg_temp.calls('t', 2) as c
where c.kind = 'tenant';
set local pgagent.user_id = 'bob';
select throws_ok(c.call, 'PA011', null, c.routine || ' as bob')
from pg_temp.calls('t', 2) as c
where c.kind = 'tenant';

select * from finish();
rollback;
