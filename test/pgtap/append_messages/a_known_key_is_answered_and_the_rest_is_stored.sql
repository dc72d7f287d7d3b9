begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"b"', idempotency_key => 'k');

select results_eq(
  $$
    select ordinal, seq, appended from pgagent.append_messages('t', '[
      {"role": "user", "content": "a"},
      {"role": "user", "content": "b", "idempotency_key": "k"},
      {"role": "user", "content": "c"}
    ]')
  $$,
  $$values (1::bigint, 2::bigint, true), (2, 1, false), (3, 3, true)$$
);
select is((select last_message_seq from pgagent.sessions), 3::bigint, 'no number is lost');

select * from finish();
rollback;
