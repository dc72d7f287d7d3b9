begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');

select results_eq(
  $$
    select m.seq, m.appended
    from generate_series(1, 3) as n
    cross join lateral pgagent.append_message('t', 'user', to_jsonb(n)) as m
  $$,
  $$values (1::bigint, true), (2, true), (3, true)$$
);
select results_eq(
  'select seq, content from pgagent.session_messages order by seq',
  $$values (1::bigint, '1'::jsonb), (2, '2'), (3, '3')$$
);

select * from finish();
rollback;
