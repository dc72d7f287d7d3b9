begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.put_checkpoint(
  '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c1", "checkpoint": {}, "channels": [],
    "metadata": {"source": "loop", "step": 1}, "leftovers": true}', '', 1
);
select is((select started_checkpoint_id from pgagent.agent_jobs), null);
select pg_temp.put('t', 'c2', 1);
select is((select started_checkpoint_id from pgagent.agent_jobs), 'c2' collate "C");

select * from finish();
rollback;
