begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"x"');
select md5(string_agg(m::text, '' order by m.seq)) as before
from pgagent.session_messages as m \gset
select pgagent.append_event('t', 'x') from generate_series(1, 100);

select is(
  (select md5(string_agg(m::text, '' order by m.seq)) from pgagent.session_messages as m), :'before'
);
select is((select last_message_seq from pgagent.sessions), 1::bigint);
select is((select last_event_seq from pgagent.sessions), 100::bigint);

select * from finish();
rollback;
