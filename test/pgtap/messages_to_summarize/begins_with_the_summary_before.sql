begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', to_jsonb(n)) from generate_series(1, 6) as n;
select pgagent.record_summary('t', 2, '"two"');

select results_eq(
  $$select m.seq, m.role, m.content from pgagent.messages_to_summarize('t', 3) as m$$,
  $$values (null::bigint, 'system'::text, '"two"'::jsonb), (3, 'user', '3')$$
);

select * from finish();
rollback;
