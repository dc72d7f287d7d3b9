begin;
\ir _rows.sql
select plan(2);

create function pg_temp.enqueue(thread text) returns bigint
language sql volatile
as $$
  select pg_temp.buffers(
    format(
      $call$select pgagent.enqueue_job(%L, '{}', idempotency_key => 'k')$call$,
      thread
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

select cmp_ok(pg_temp.enqueue('third'), '<', 80::bigint, 'on a new thread');
select cmp_ok(pg_temp.enqueue('third'), '<', 70::bigint, 'again');

select * from finish();
rollback;
