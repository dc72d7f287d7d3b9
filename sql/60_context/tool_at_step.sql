-- The tools that were called in a step of a graph, also long after its checkpoints were pruned.
--
-- thread_id: the thread.
-- step:      the super-step, as LangGraph counts (langgraph_step in a node's config; the step of
--            the checkpoint that the step ends with). Calls in subgraphs count to the step of the
--            graph that the subgraph ran in.
-- Returns: a row a call, in the order they were begun. A step that ran again on another branch has
--          the calls of each; step_id, the checkpoint a call ran from, tells them apart. Calls that
--          were begun without a step_id have no step.
-- Reads under row security, the calls of the thread; locks nothing.
create function pgagent.tool_at_step(thread_id text, step integer)
returns table (
  call_id uuid, tool text, args jsonb, status text, result jsonb, error jsonb, decision jsonb,
  attempts integer, call_position integer, step_id text, job_id uuid, created_at timestamptz,
  ended_at timestamptz
)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  -- tool_calls_in_order
  return query
  select
    t.call_id, t.tool::text, t.args, t.status::text, t.result, t.error, t.decision, t.attempts,
    t.position, t.step_id::text, t.job_id, t.created_at, t.ended_at
  from pgagent.tool_calls as t
  where t.thread_id = tool_at_step.thread_id and t.step = tool_at_step.step
  order by t.call_id;
end
$$;

comment on function pgagent.tool_at_step(text, integer) is
'The tools that were called in a step of a graph.';

-- The step of the graph that tasks of a checkpoint run in; those of a subgraph's in that of the
-- graph's own checkpoint that it ran under. Null where there is none that makes sense.
create function pgagent._step_after(c pgagent.checkpoints)
returns integer
language sql
stable
begin atomic
  select
    1 + case (c).checkpoint_ns
      when '' then pgagent._step_of((c).metadata)
      else (
        select pgagent._step_of(root.metadata)
        from pgagent.checkpoints as root
        where
          root.thread_id = (c).thread_id
          and root.checkpoint_ns = ''
          and root.checkpoint_id = (c).metadata -> 'parents' ->> ''
      )
    end;
end;

comment on function pgagent._step_after(pgagent.checkpoints) is
'The step of the graph that tasks of a checkpoint run in.';
