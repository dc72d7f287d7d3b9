begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select is(
  (select fencing_token from pgagent.start_run('t', 'w2', on_busy => 'interrupt')), 2::bigint
);
select is((select head_checkpoint_id from pgagent.agent_sessions), 'c1' collate "C");
select pgagent.start_run('t', 'w2', on_busy => 'rollback');
select is((select head_checkpoint_id from pgagent.agent_sessions), 'c1' collate "C");
select throws_ok($$select pgagent.start_run('t', 'w2', on_busy => 'enqueue')$$, 'PA008');

select * from finish();
rollback;
