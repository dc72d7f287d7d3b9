begin;
\ir ../_lib.sql
select plan(6);

create function pg_temp.say(variadic roles text[])
returns void
language sql
as $$
  select pgagent.create_session('t');
  select pgagent.append_messages('t', jsonb_agg(
    jsonb_build_object(
      'role', split_part(r.role, ' ', 1), 'content', '"x"',
      'tool_call_id', nullif(split_part(r.role, ' ', 2), '')
    ) order by r.ordinal
  ))
  from unnest(roles) with ordinality as r (role, ordinal)
$$;
create function pg_temp.cut(keep bigint)
returns bigint
language sql
as $$select max(m.seq) from pgagent.messages_to_summarize('t', keep) as m$$;

select pg_temp.say(
  'user', 'assistant', 'tool_call a', 'tool_call b', 'tool_result a', 'user', 'tool_result b',
  'assistant', 'user', 'tool_call c'
);
select is(pg_temp.cut(0), 9::bigint, 'a call that is under way stays');
select is(pg_temp.cut(2), 8::bigint, 'before anything else it may be cut');
select is(pg_temp.cut(3), 7::bigint, 'after the last result of a piece as well');
select is(pg_temp.cut(4), 1::bigint, 'but not within it, nor behind the message that made the calls');
select is(pg_temp.cut(10), null::bigint, 'nothing is left to summarise');
select pgagent.append_message('t', 'assistant', '"never mind"');
select is(pg_temp.cut(0), 11::bigint, 'a call that the model has given up holds nothing');

select * from finish();
rollback;
