-- What began is known by started_checkpoint_id: a worker goes on with it, and begins without.
begin;
\ir ../_lib.sql
select plan(6);

-- A run that stored two checkpoints, an answer, and failed.
create function pg_temp.failed(thread text) returns uuid
language plpgsql volatile
as $$
begin
  perform pg_temp.run(thread);
  perform pg_temp.put(thread, 'c1', 1, 'input', -1);
  perform pgagent.pause_job(pg_temp.job(thread), 1, '{"q": 1}');
  perform pgagent.resume_job(pg_temp.job(thread), '{"q": "yes"}');
  perform pgagent.claim_job('w1');
  perform pg_temp.put(thread, 'c2', 2, 'loop', 0, parent => 'c1');
  perform pgagent.fail_job(pg_temp.job(thread), 2, '1', fatal => true);
  return pg_temp.job(thread);
end
$$;
create temporary table job as
select t.thread, pg_temp.failed(t.thread) as job_id
from unnest('{same,edited,plain,other,waiting,asked}'::text[]) as t (thread);
create function pg_temp.requeued(name text, from_start boolean default false) returns text
language sql volatile
as $$
  select pgagent.requeue_job(job_id, from_start => from_start) from job where thread = name;
  select concat_ws(' ', j.started_checkpoint_id, j.resume ->> 'q', j.progress_step)
  from pgagent.agent_jobs as j join job using (job_id) where job.thread = name
$$;

select is(pg_temp.requeued('same'), 'c1 yes 0', 'nobody came in between');

select pg_temp.put('edited', 'e', null, 'update', 1, parent => 'c2');
select is(pg_temp.requeued('edited'), 'c1 yes 0', 'a person changed the state');

select pg_temp.put('plain', 'p', null, 'input', 1, parent => 'c2');
select is(pg_temp.requeued('plain'), '', 'a run without a job');

select pg_temp.run('other');
select pg_temp.put('other', 'o', 3, 'update', 1, parent => 'c2');
select pgagent.complete_job(pg_temp.job('other'), 3);
select is(pg_temp.requeued('other'), '', 'another job, if only by clearing what was left');

-- It waits for a run that has stored nothing yet: what counts is what it finds in the end.
select pg_temp.run('waiting');
select pg_temp.requeued('waiting');
select pg_temp.put('waiting', 'o', 3, 'input', 1, parent => 'c2');
select pgagent.complete_job(active_job_id, 3) from pgagent.agent_sessions
where thread_id = 'waiting';
select results_eq(
  $$
    select j.status, j.started_checkpoint_id from pgagent.agent_jobs as j
    join job using (job_id) where job.thread = 'waiting'
  $$,
  $$values ('PENDING' collate "C", null::text collate "C")$$,
  'another run while it waited'
);

select is(pg_temp.requeued('asked', true), '', 'asked to begin anew');

select * from finish();
rollback;
