begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"a"');
select pgagent.append_message('t', 'user', '"b"');
update pgagent.session_messages set retracted_at = pgagent._now() where seq = 1;

select results_eq(
  $$select t.ordinal, t.content from pgagent.trajectory('t') as t$$,
  $$values (1::bigint, '"b"'::jsonb)$$
);

select * from finish();
rollback;
