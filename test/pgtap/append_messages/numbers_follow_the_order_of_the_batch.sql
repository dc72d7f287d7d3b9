begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"before"');

select results_eq(
  $$
    select ordinal, seq, appended from pgagent.append_messages('t', '[
      {"role": "user", "content": "a"}, {"role": "assistant", "content": ["b"]},
      {"role": "user", "content": "c"}
    ]')
  $$,
  $$values (1::bigint, 2::bigint, true), (2, 3, true), (3, 4, true)$$
);
select results_eq(
  'select seq, content from pgagent.session_messages where seq > 1 order by seq',
  $$values (2::bigint, '"a"'::jsonb), (3, '["b"]'), (4, '"c"')$$
);
select is(
  (select seq from pgagent.append_message('t', 'user', '"after"')), 5::bigint
);

select * from finish();
rollback;
