begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');

select results_eq(
  $$
    select ordinal, seq, appended from pgagent.append_messages('t', '[
      {"role": "user", "content": "a", "idempotency_key": "k"},
      {"role": "user", "content": "b"},
      {"role": "user", "content": "a", "idempotency_key": "k"}
    ]')
  $$,
  $$values (1::bigint, 1::bigint, true), (2, 2, true), (3, 1, false)$$
);

select * from finish();
rollback;
