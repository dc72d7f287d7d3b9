-- Deletes what some runs stored: their checkpoints with writes, and the values that nothing needs
-- then. What checkpoints of other runs are rebuilt from stays.
--
-- run_ids: as checkpoints carry them in metadata.run_id.
-- Returns: how many checkpoints were deleted, over all threads.
-- Locks:   the sessions, in the order of their ids.
-- Raises:  PA008 bad arguments; PA009 more ids than a batch may have; PA011 no service role.
-- Safe to repeat: yes.
create function pgagent.delete_runs(run_ids text[])
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_thread_id text;
  v_namespaces text[];
  v_numbers bigint[];
  v_count bigint := 0;
begin
  perform pgagent._require_service();
  if run_ids is null or array_ndims(run_ids) > 1 or array_position(run_ids, null) is not null then
    perform pgagent._raise('PA008', 'run_ids must be an array of ids');
  end if;
  if cardinality(run_ids) > pgagent._limit('batch') then
    perform pgagent._raise(
      'PA009', format('run_ids has more than %s elements', pgagent._limit('batch')),
      format('limit: batch, elements: %s', cardinality(run_ids)), 'Send it in parts.'
    );
  end if;
  for v_thread_id in
    -- checkpoints_run_id_idx
    select s.thread_id
    from pgagent.agent_sessions as s
    where s.thread_id in (
        select c.thread_id from pgagent.checkpoints as c where c.run_id = any(run_ids)
      )
      and s.status not in ('DELETED', 'ARCHIVED')
    order by s.thread_id
    for no key update
  loop
    select array_agg(c.checkpoint_ns), array_agg(c.seq) into v_namespaces, v_numbers
    from pgagent.checkpoints as c
    where c.thread_id = v_thread_id and (c.run_id = any(run_ids)) is not true;
    v_count := v_count + pgagent._keep_checkpoints(v_thread_id, v_namespaces, v_numbers);
  end loop;
  return v_count;
end
$$;

comment on function pgagent.delete_runs(text[]) is
'Deletes the checkpoints that some runs stored, and the values that nothing needs then.';
