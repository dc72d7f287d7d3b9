-- It looks for leases that ran out; those that did not are passed by.
begin;
\ir _rows.sql
select plan(2);

select pg_temp.jobs(3);
select become('t_worker');
select pg_temp.claim(), pg_temp.claim();
reset role;
select pg_temp.many_jobs('IN_PROGRESS');
select pg_temp.many_sessions();
select pg_temp.jobs(3);
select become('t_worker');
select pg_temp.claim();
set pgagent._claims = '';

select cmp_ok(pg_temp.claim(), '<', 120::bigint, 'buffers, with a reap');
set pgagent._claims = '';
select cmp_ok(
  pg_temp.rows_read($$select * from pgagent.claim_job('w1')$$), '<', 20::bigint, 'rows'
);

select * from finish();
rollback;
