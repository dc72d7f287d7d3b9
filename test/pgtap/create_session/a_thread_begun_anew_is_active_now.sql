begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');
select pgagent.delete_session('t');
select pgagent_test.advance('1 day');
select pgagent.create_session('t');

select cmp_ok(
  (select last_activity_at from pgagent.sessions), '>=', pgagent._now() - interval '1 minute'
);
select cmp_ok(
  (select active_hour from pgagent.agent_sessions), '>=', pgagent._now() - interval '2 hours'
);

select * from finish();
rollback;
