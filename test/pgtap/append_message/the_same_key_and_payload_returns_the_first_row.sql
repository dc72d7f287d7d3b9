begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '{"b": 1, "a": 2}', idempotency_key => 'k');

select results_eq(
  $$
    select seq, appended
    from pgagent.append_message('t', 'user', '{"a": 2, "b": 1}', idempotency_key => 'k')
  $$,
  $$values (1::bigint, false)$$
);

select * from finish();
rollback;
