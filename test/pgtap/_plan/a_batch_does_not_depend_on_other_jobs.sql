begin;
\ir _rows.sql
select plan(2);

create function pg_temp.enqueue(threads text) returns bigint
language sql volatile
as $$
  select pg_temp.buffers(
    format(
      $call$
        select pgagent.enqueue_jobs((
          select jsonb_agg(
            jsonb_build_object('thread_id', %L || n, 'payload', n, 'idempotency_key', 'k')
          )
          from generate_series(1, 100) as n
        ))
      $call$, threads
    )
  )
$$;
select become('t_worker');
select pg_temp.enqueue('first');
reset role;
select pg_temp.many_jobs('COMPLETED');
select pg_temp.many_sessions();
select become('t_worker');
select pg_temp.enqueue('second');

select cmp_ok(pg_temp.enqueue('third'), '<', 8000::bigint, 'on new threads');
select cmp_ok(pg_temp.enqueue('third'), '<', 3000::bigint, 'again');

select * from finish();
rollback;
