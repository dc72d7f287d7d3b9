begin;
\ir _rows.sql
select plan(4);

create function pg_temp.append(turn text) returns bigint
language sql volatile
as $$
  select pg_temp.buffers(
    format($call$select pgagent.append_message('t', 'user', '"x"', turn => %L)$call$, turn)
  )
$$;
create function pg_temp.event() returns bigint
language sql volatile
as $$select pg_temp.buffers($call$select pgagent.append_event('t', 'x')$call$)$$;
select pgagent.create_session('t');
select become('t_worker');
select pg_temp.append('first'), pg_temp.event();
reset role;
select pg_temp.many_sessions();
select pg_temp.many_messages();
select become('t_worker');
select pg_temp.append('second'), pg_temp.event();

select cmp_ok(pg_temp.append('third'), '<', 60::bigint, 'a message');
select cmp_ok(pg_temp.append('third'), '<', 60::bigint, 'the same again');
select cmp_ok(pg_temp.event(), '<', 40::bigint, 'an event');
select cmp_ok(
  pg_temp.rows_read($$select pgagent.append_message('t', 'user', '"x"', turn => 'fourth')$$),
  '<', 8::bigint, 'rows'
);

select * from finish();
rollback;
