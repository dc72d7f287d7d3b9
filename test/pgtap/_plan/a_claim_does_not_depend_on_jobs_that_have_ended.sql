-- Nor on the number of threads. With an index on created_at it read 1,110 buffers, and every job.
begin;
\ir _rows.sql
select plan(2);

select pg_temp.jobs(3);
select become('t_worker');
select pg_temp.claim(), pg_temp.claim();
reset role;
select pg_temp.many_jobs('COMPLETED');
select pg_temp.many_sessions();
select pg_temp.jobs(3);
select become('t_worker');
select pg_temp.claim();

select cmp_ok(pg_temp.claim(), '<', 70::bigint, 'buffers');
select cmp_ok(
  pg_temp.rows_read($$select * from pgagent.claim_job('w1')$$), '<', 20::bigint, 'rows'
);

select * from finish();
rollback;
