-- Elements without a key were once told apart by '#' and their position, which may be a key too.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');

select results_eq(
  $$
    select seq, appended from pgagent.append_messages('t', '[
      {"role": "user", "content": "a", "idempotency_key": "#2"},
      {"role": "user", "content": "b"}
    ]')
  $$,
  $$values (1::bigint, true), (2, true)$$
);

select * from finish();
rollback;
