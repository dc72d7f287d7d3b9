begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.pause('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');

select is((select count(*) from pgagent.approvals), 1::bigint);

select * from finish();
rollback;
