begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select 3 + count(*)::integer from pg_temp.calls('t', 1)));

select pg_temp.busy_thread('t', 'alice');
select become('t_reader');

select is((select count(*) from pgagent.sessions), 1::bigint);
select is(pg_temp.latest('t'), 'c1');
select is((select status from pgagent.get_job(pg_temp.job('t'))), 'IN_PROGRESS');
select throws_ok(c.call, '42501', null, c.routine) from pg_temp.calls('t', 2) as c;

select * from finish();
rollback;
