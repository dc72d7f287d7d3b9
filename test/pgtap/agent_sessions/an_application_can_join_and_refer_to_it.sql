begin;
\ir ../_lib.sql
select plan(3);

create table public.orders (
  order_id integer primary key,
  thread_id text references pgagent.agent_sessions (thread_id)
);
select pgagent.create_session('t', metadata => '{"title": "a refund"}');
insert into public.orders values (1, 't');

select results_eq(
  $$
    select o.order_id, s.metadata ->> 'title'
    from public.orders as o
    join pgagent.sessions as s using (thread_id)
  $$,
  $$values (1, 'a refund')$$
);
select throws_ok($$insert into public.orders values (2, 'u')$$, '23503');
select lives_ok(
  $$select pgagent.delete_session('t')$$, 'a tombstone keeps the reference of the application valid'
);

select * from finish();
rollback;
