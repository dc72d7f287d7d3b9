begin;
\ir _rows.sql
select plan(2);

create function pg_temp.cost(call text, thread text) returns bigint
language sql volatile
as $$
  select pg_temp.buffers(
    format('select pgagent.%s(%L, 1)', call, pg_temp.job(thread))
  )
$$;
select pgagent.start_run(n || 'th', 'w1') from generate_series(1, 3) as n;
select become('t_worker');
select pg_temp.cost('renew_lease', '1th'), pg_temp.cost('complete_job', '1th');
reset role;
select pg_temp.many_jobs('COMPLETED');
select pg_temp.many_sessions();
select become('t_worker');
select pg_temp.cost('renew_lease', '2th'), pg_temp.cost('complete_job', '2th');

select cmp_ok(pg_temp.cost('renew_lease', '3th'), '<', 50::bigint, 'a renewal');
select cmp_ok(pg_temp.cost('complete_job', '3th'), '<', 100::bigint, 'a completion');

select * from finish();
rollback;
