begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"a"', idempotency_key => 'k');

select matches(
  pg_temp.refusal($$
    select pgagent.append_messages('t', '[
      {"role": "user", "content": "new"},
      {"role": "user", "content": "b", "idempotency_key": "k"}
    ]')
  $$), '^PA004 .*messages\[1\], key: k'
);
select throws_ok(
  $$
    select pgagent.append_messages('t', '[
      {"role": "user", "content": "x", "idempotency_key": "l"},
      {"role": "user", "content": "y", "idempotency_key": "l"}
    ]')
  $$, 'PA004', null, 'within the batch'
);
select is((select last_message_seq from pgagent.sessions), 1::bigint);

select * from finish();
rollback;
