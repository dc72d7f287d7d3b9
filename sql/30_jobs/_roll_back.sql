-- Takes back what a run of the thread did, as if it had never been. The run is the thread's live
-- one, so that no other has begun since. Of a requeued job that began anew: since then.
--
-- Deleted: its checkpoints in every namespace, and what grew from them: their descendants, and the
--          subgraph checkpoints of runs that began there (a person's update_state on top carries no
--          job); their writes; the run's writes on checkpoints of others; the versions and items
--          that no checkpoint needs then. The head is the newest that is left.
--          Its summaries: what they stand for is sent as it is again.
-- Retracted: its messages; they keep their numbers, and their keys are free again.
-- Marked:  the job, its events, tool calls and usage stay, with rolled_back_at.
-- Not known: user messages that were appended without the run's token; special writes (answers,
--          errors) of an earlier run on the head that this one has replaced.
-- Locks:   nothing; the caller holds the session and the job, which has ended.
-- Raises:  PA005 the checkpoint that the run began from was pruned.
create function pgagent._roll_back(job pgagent.agent_jobs)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
  v_since timestamptz := coalesce(job.began_anew_at, '-infinity');
  v_namespaces text[];
  v_numbers bigint[];
  v_pruned text;
  v_gone bigint;
begin
  with recursive stored as materialized (
    select
      c.checkpoint_ns, c.checkpoint_id, c.seq, c.parent_checkpoint_id,
      (c.job_id = job.job_id and c.created_at >= v_since) is true as is_its_own,
      c.metadata -> 'parents' as parents
    from pgagent.checkpoints as c
    where c.thread_id = job.thread_id
  ),

  -- What a checkpoint of others grew from: its parent, and what it ran under.
  grew as materialized (
    select c.checkpoint_ns, c.checkpoint_id, f.checkpoint_ns as from_ns, f.checkpoint_id as from_id
    from stored as c
    cross join lateral (
      select c.checkpoint_ns, c.parent_checkpoint_id
      union all
      select p.key, p.value
      from jsonb_each_text(
        case jsonb_typeof(c.parents) when 'object' then c.parents else '{}' end
      ) as p
    ) as f (checkpoint_ns, checkpoint_id)
    where not c.is_its_own
      and c.seq > (select min(o.seq) from stored as o where o.is_its_own)
  ),

  gone as (
    select c.checkpoint_ns, c.checkpoint_id
    from stored as c
    where c.is_its_own
    union
    select g.checkpoint_ns, g.checkpoint_id
    from gone as d
    join grew as g on g.from_ns = d.checkpoint_ns and g.from_id = d.checkpoint_id
  ),

  judged as (
    select c.*, g.checkpoint_id is not null as is_gone
    from stored as c
    left join gone as g
      on g.checkpoint_ns = c.checkpoint_ns and g.checkpoint_id = c.checkpoint_id
  )

  select
    array_agg(c.checkpoint_ns) filter (where not c.is_gone),
    array_agg(c.seq) filter (where not c.is_gone),
    count(*) filter (where c.is_gone),
    -- The namespace of a subgraph call (its name has a task id) began with the run.
    min(c.parent_checkpoint_id) filter (
      where c.is_its_own
        and c.checkpoint_ns not like '%:%'
        and c.parent_checkpoint_id is not null
        and not exists (
          select from stored as p
          where p.checkpoint_ns = c.checkpoint_ns and p.checkpoint_id = c.parent_checkpoint_id
        )
    )
  into v_namespaces, v_numbers, v_gone, v_pruned
  from judged as c;
  if v_pruned is not null then
    perform pgagent._raise(
      'PA005', 'the run cannot be rolled back: the state before it was pruned',
      format(
        'thread_id: %s, job_id: %s, checkpoint_id: %s', job.thread_id, job.job_id, v_pruned
      ),
      'Enqueue with on_busy => ''interrupt'', which keeps the work of the run.'
    );
  end if;

  delete from pgagent.checkpoint_writes as w
  where w.thread_id = job.thread_id and w.job_id = job.job_id
    and w.created_at >= v_since;
  if v_gone > 0 then
    perform pgagent._keep_checkpoints(job.thread_id, v_namespaces, v_numbers);
  end if;

  update pgagent.session_messages as m
  set retracted_at = v_now, idempotency_key = null, fingerprint = null
  where m.thread_id = job.thread_id and m.job_id = job.job_id
    and m.created_at >= v_since and m.retracted_at is null;
  delete from pgagent.context_summaries as c
  where c.thread_id = job.thread_id and c.job_id = job.job_id
    and c.created_at >= v_since;
  update pgagent.session_events as e
  set rolled_back_at = v_now
  where e.thread_id = job.thread_id and e.job_id = job.job_id
    and e.created_at >= v_since;
  update pgagent.tool_calls as t
  set rolled_back_at = v_now
  where t.thread_id = job.thread_id and t.job_id = job.job_id
    and t.created_at >= v_since;
  update pgagent.usage_records as u
  set rolled_back_at = v_now
  where u.thread_id = job.thread_id and u.job_id = job.job_id
    and u.created_at >= v_since;
  -- Its input was never taken in, and nobody answered it.
  update pgagent.agent_jobs as j
  set
    rolled_back_at = v_now, started_checkpoint_id = null, progress_step = null, resume = null
  where j.job_id = job.job_id;
end
$$;

comment on function pgagent._roll_back(pgagent.agent_jobs) is
'Takes back what a run did: state, head and messages are as before it; the rest is marked.';
