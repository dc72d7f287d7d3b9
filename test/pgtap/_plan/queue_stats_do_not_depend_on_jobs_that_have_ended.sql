-- Nor on how many are ready, beyond the bound.
begin;
\ir _rows.sql
select plan(3);

create function pg_temp.look(max_count integer) returns bigint
language sql volatile
as $$select pg_temp.buffers(format('select * from pgagent.queue_stats(%s)', max_count))$$;

select pg_temp.jobs(3);
select become('t_reader');
select pg_temp.look(100);
reset role;
select pg_temp.many_jobs('COMPLETED');
select pg_temp.many_sessions();
select become('t_reader');
select cmp_ok(pg_temp.look(100), '<', 120::bigint, 'buffers');
select cmp_ok(
  pg_temp.rows_read('select * from pgagent.queue_stats(100)'), '<', 60::bigint, 'rows'
);
reset role;
update pgagent.agent_jobs set status = 'PENDING', completed_at = null where status = 'COMPLETED';
select become('t_reader');
select cmp_ok(pg_temp.look(100), '<', 700::bigint, 'with 100,000 that are ready');

select * from finish();
rollback;
