-- Not one that a person's update made, nor one of a subgraph.
begin;
\ir ../_lib.sql
select plan(8);

create function pg_temp.started(source text, ns text default '') returns text
language plpgsql volatile
as $$
declare
  v_thread text := source || ns;
begin
  perform pg_temp.run(v_thread);
  perform pg_temp.put(v_thread, 'c1', 1, source, ns => ns);
  return (
    select started_checkpoint_id from pgagent.agent_jobs where job_id = pg_temp.job(v_thread)
  );
end
$$;

select is(pg_temp.started('input'), 'c1');
select is(pg_temp.started('loop'), 'c1');
select is(pg_temp.started('fork'), 'c1');
select is(pg_temp.started('update'), null);
select is(pg_temp.started('input', 'sub'), null);
select pg_temp.put('loop', 'c2', 1);
select is(
  (select started_checkpoint_id from pgagent.agent_jobs where thread_id = 'loop'),
  'c1' collate "C", 'the first stays'
);
select pgagent.release_job(pg_temp.job('loop'), 1);
select is(
  (select started_checkpoint_id from pgagent.claim_job('w2')), 'c1', 'a claim hands it out'
);
select pg_temp.put('plain', 'c1', source => 'input');
select is_empty($$select * from pgagent.agent_jobs where thread_id = 'plain'$$);

select * from finish();
rollback;
