-- A hundred thousand of a higher priority that are not due: one descent a priority passes them by.
begin;
\ir _rows.sql
select plan(2);

select pg_temp.jobs(3);
select become('t_worker');
select pg_temp.claim(), pg_temp.claim();
reset role;
select pg_temp.many_jobs('PENDING', 9, '1 day');
select pg_temp.many_sessions();
select pg_temp.jobs(3);
select become('t_worker');
select pg_temp.claim();

select cmp_ok(pg_temp.claim(), '<', 120::bigint, 'buffers');
select cmp_ok(
  pg_temp.rows_read($$select * from pgagent.claim_job('w1')$$), '<', 20::bigint, 'rows'
);

select * from finish();
rollback;
