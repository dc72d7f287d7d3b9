begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');
create temporary table batch as
select '[
  {"role": "user", "content": "a", "turn": "1"}, {"role": "user", "content": "b", "turn": "2"}
]'::jsonb as messages;
select pgagent.append_messages('t', messages) from batch;

select results_eq(
  $$select m.* from batch cross join lateral pgagent.append_messages('t', messages) as m$$,
  $$values (1::bigint, 1::bigint, false), (2, 2, false)$$
);
select is((select count(*) from pgagent.session_messages), 2::bigint);

select * from finish();
rollback;
