begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_messages('t', '[
  {"role": "user", "content": "a", "token_count": 12.0},
  {"role": "user", "content": "b", "token_count": null}
]');

select results_eq(
  'select token_count from pgagent.session_messages order by seq',
  $$values (12::bigint), (null)$$
);

select * from finish();
rollback;
