begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', to_jsonb(n)) from generate_series(1, 30) as n;
select pgagent.record_summary('t', 10, '"ten"');
select pgagent.append_message('t', 'user', to_jsonb(n)) from generate_series(31, 60) as n;
select pgagent.record_summary('t', 40, '"forty"');

create function pg_temp.shown(as_of bigint)
returns text
language sql
as $$
  select string_agg(coalesce(w.seq::text, w.content #>> '{}'), ',')
  from pgagent.context_window('t', as_of) as w
  where w.seq is null or w.seq % 10 = 1
$$;
select is(pg_temp.shown(null), 'forty,41,51');
select is(pg_temp.shown(59), 'ten,11,21,31,41,51', 'before the second summary');
select is(pg_temp.shown(29), '1,11,21', 'before the first');

select * from finish();
rollback;
