begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '{}');

select is((select count(*) from pgagent.get_job(pg_temp.job('t'))), 1::bigint);
select is_empty('select * from pgagent.get_job(gen_random_uuid())');
select is_empty('select * from pgagent.get_job(null)');

select * from finish();
rollback;
