-- Notes on the job that its input was taken in (with a checkpoint_id), and lets a lease live that
-- progress was made under.
-- Progress is a loop checkpoint with a step beyond any the job has stored.
create function pgagent._note_progress(job_id uuid, checkpoint_id text, step integer)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
begin
  update pgagent.agent_jobs as j
  set
    started_checkpoint_id = coalesce(j.started_checkpoint_id, _note_progress.checkpoint_id),
    step_deadline_at = v_now + j.step_timeout,
    lease_expires_at = case
      when j.lease_expires_at - v_now < j.lease / 2
        then least(v_now + j.lease, j.deadline_at, v_now + j.step_timeout)
      else j.lease_expires_at
    end
  where j.job_id = _note_progress.job_id
    and (
      j.started_checkpoint_id is null
      or step > coalesce(j.progress_step, -2147483648)
      and (j.lease_expires_at - v_now < j.lease / 2 or j.step_timeout is not null)
    );
end
$$;

comment on function pgagent._note_progress(uuid, text, integer) is
'Notes on a job that its input was taken in, and extends a lease that runs low under progress.';
