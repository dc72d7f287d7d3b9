begin;
\ir ../_lib.sql
select plan(2);

-- A plain run and its subgraph went on from a paused run; a branch from before the run stays.
select pg_temp.put('t', 'c0');
select pg_temp.put('t', 's0', ns => 'sub', parents => '{"": "c0"}');
select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1, parent => 'c0');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');
select pg_temp.put('t', 'c2', parent => 'c1');
select pg_temp.put('t', 's1', ns => 'sub', parent => 's0', parents => '{"": "c2"}');
select pg_temp.put('t', 's2', ns => 'sub', parent => 's1', parents => '{"": "c2"}');
select pg_temp.put('t', 'c3', parent => 'c0', source => 'fork');
select pgagent.enqueue_job('t', '2', on_busy => 'rollback');

select set_eq(
  'select checkpoint_id::text from pgagent.checkpoints', array['c0', 's0', 'c3']
);
select is((select head_checkpoint_id from pgagent.agent_sessions), 'c3' collate "C");

select * from finish();
rollback;
