-- Forgets what failed tasks of a run have stored, error and outputs, so that they run again. A task
-- whose routing function raised after its node had returned has an error and outputs: it would
-- count as finished, and the run would end there without saying so. The error goes too: it would
-- cast the same doubt on the outputs of the task's next, successful run.
--
-- thread_id, fencing_token: the run.
-- Returns: how many writes were forgotten. Errors that a node's own error handler takes care of
--          (__error_source_node__) stay, and so does everything under older checkpoints: those
--          that are neither the head nor the newest of a namespace that runs under it.
-- Locks:   the session.
-- Raises:  PA008 bad arguments; PA003, PA006, PA011 the thread; PA002 the fence.
-- Safe to repeat: yes.
create function pgagent.discard_partial_outputs(thread_id text, fencing_token bigint)
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
  v_count bigint;
begin
  if discard_partial_outputs.fencing_token is null then
    perform pgagent._raise('PA008', 'fencing_token is required');
  end if;
  s := pgagent._enter(
    discard_partial_outputs.thread_id, discard_partial_outputs.fencing_token
  );

  delete from pgagent.checkpoint_writes as w
  using (
    select distinct on (c.checkpoint_ns)
      c.checkpoint_ns, c.checkpoint_id,
      case c.checkpoint_ns
        when '' then c.checkpoint_id else c.metadata -> 'parents' ->> ''
      end as runs_under
    from pgagent.checkpoints as c
    where c.thread_id = s.thread_id
    order by c.checkpoint_ns, c.seq desc
  ) as head
  where head.runs_under = s.head_checkpoint_id
    and w.thread_id = s.thread_id
    and w.checkpoint_ns = head.checkpoint_ns
    and w.checkpoint_id = head.checkpoint_id
    and (w.idx >= 0 or w.channel = '__error__')
    and exists (
      select from pgagent.checkpoint_writes as e
      where e.thread_id = w.thread_id
        and e.checkpoint_ns = w.checkpoint_ns
        and e.checkpoint_id = w.checkpoint_id
        and e.task_id = w.task_id
        and e.channel = '__error__'
    )
    and not exists (
      select from pgagent.checkpoint_writes as e
      where e.thread_id = w.thread_id
        and e.checkpoint_ns = w.checkpoint_ns
        and e.checkpoint_id = w.checkpoint_id
        and e.task_id = w.task_id
        and e.channel = '__error_source_node__'
    );
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function pgagent.discard_partial_outputs(text, bigint) is
'Forgets what failed tasks of a run have stored, so that they run again.';
