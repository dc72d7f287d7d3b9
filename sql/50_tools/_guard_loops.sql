-- Looks whether a run goes round in circles: its last three calls are the same tool with the same
-- arguments. Says so once, in an event; with `fail` it ends the run as well.
--
-- call:    the call that has just been begun, the first time and under the token of a job's run.
-- on_loop: record or fail.
-- Returns: true when the run was ended: the call must not be executed.
-- Locks:   nothing; with `fail` the job and the next waiting one. The caller holds the session.
create function pgagent._guard_loops(call pgagent.tool_calls, on_loop text)
returns boolean
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_alike uuid[];
  j pgagent.agent_jobs;
  v_loop jsonb;
begin
  -- tool_calls_by_job, read backwards. Alike from the last one on; the fourth is told no more.
  select array_agg(c.call_id order by c.call_id) into v_alike
  from (
    select
      t.call_id,
      bool_and(t.fingerprint = call.fingerprint) over (order by t.call_id desc) as alike
    from pgagent.tool_calls as t
    where t.job_id = call.job_id
    order by t.call_id desc
    limit 4
  ) as c
  where c.alike;
  if cardinality(v_alike) <> 3 then
    return false;
  end if;

  select x.* into j from pgagent.agent_jobs as x where x.job_id = call.job_id;
  v_loop := jsonb_build_object('tool', call.tool, 'calls', to_jsonb(v_alike));
  perform pgagent._log_job_event(j, 'loop_suspected', v_loop);
  if on_loop <> 'fail' then
    return false;
  end if;
  v_loop := v_loop || jsonb_build_object(
    'type', 'loop', 'message', format('%s was called three times in a row alike', call.tool)
  );
  update pgagent.tool_calls as t
  set status = 'FAILED', error = v_loop, ended_at = pgagent._now()
  where t.call_id = call.call_id;
  perform pgagent._end_delivery(
    call.job_id, call.token, 'failed', 'FAILED', error => v_loop
  );
  return true;
end
$$;

comment on function pgagent._guard_loops(pgagent.tool_calls, text) is
'Writes an event at the third call alike in a row of a run; with fail it ends the run.';
