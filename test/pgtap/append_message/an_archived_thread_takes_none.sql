begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
update pgagent.agent_sessions set status = 'ARCHIVED';

select matches(
  pg_temp.refusal($$select pgagent.append_message('t', 'user', '"x"')$$),
  '^PA006 .* restore_session'
);

select * from finish();
rollback;
