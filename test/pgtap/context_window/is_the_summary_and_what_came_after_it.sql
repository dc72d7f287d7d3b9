begin;
\ir ../_lib.sql
select plan(5);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', to_jsonb(n), context => '["found"]')
from generate_series(1, 60) as n;

select is((select count(*) from pgagent.context_window('t')), 60::bigint, 'all of it at first');
select pgagent.record_summary('t', max(m.seq), '"so far"')
from pgagent.messages_to_summarize('t') as m;
select results_eq(
  $$select w.* from pgagent.context_window('t') as w$$,
  $$
    select null::bigint, 'system'::text collate "C", '"so far"'::jsonb, null::text, null::bigint, null::jsonb
    union all
    select n, 'user', to_jsonb(n), null, null, null from generate_series(41::bigint, 60) as n
  $$,
  'then a system message and the last twenty'
);
select is(
  (select w.context from pgagent.context_window('t', with_context => true) as w where w.seq = 60),
  '["found"]', 'with what was retrieved when that is asked for'
);
select is((select count(*) from pgagent.session_messages), 60::bigint, 'the messages stay');
update pgagent.session_messages set retracted_at = pgagent._now() where seq = 60;
select is(
  (select max(w.seq) from pgagent.context_window('t') as w), 59::bigint,
  'what was taken back is left out'
);

select * from finish();
rollback;
