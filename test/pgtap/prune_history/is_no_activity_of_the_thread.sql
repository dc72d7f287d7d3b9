-- Or a thread that is pruned every night would never be idle.
begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 'c2', parent => 'c1');
update pgagent.agent_sessions set last_activity_at = now() - interval '1 month';

select is(pgagent.prune_history('t'), 1::bigint);
select is(
  (select last_activity_at from pgagent.agent_sessions), now() - interval '1 month'
);

select * from finish();
rollback;
