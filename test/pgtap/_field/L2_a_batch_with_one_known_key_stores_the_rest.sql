begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"b"', idempotency_key => 'k');
select pgagent.append_messages('t', '[
  {"role": "user", "content": "a"},
  {"role": "user", "content": "b", "idempotency_key": "k"},
  {"role": "user", "content": "c"}
]');

select results_eq(
  'select seq, content from pgagent.session_messages order by seq',
  $$values (1::bigint, '"b"'::jsonb), (2, '"a"'), (3, '"c"')$$
);

select * from finish();
rollback;
