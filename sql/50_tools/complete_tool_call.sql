-- Stores the receipt of a tool call: later callers are answered with it.
--
-- call_id:        the call, as begin_tool_call returned it.
-- result:         what the tool returned (at most 1 MB).
-- fencing_token:  the token of the run that called.
-- Returns:        SUCCEEDED.
-- Locks:          the session, then the call.
-- Raises:         PA008, PA009 bad arguments; PA003 no such call; PA006, PA011 the thread; PA001,
--                 PA002 the fence; PA004 it succeeded before with another result; PA005 it failed.
-- Safe to repeat: yes.
create function pgagent.complete_tool_call(
  call_id uuid, result jsonb, fencing_token bigint default null
)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return pgagent._end_tool_call(
    call_id, fencing_token, 'SUCCEEDED', coalesce(result, 'null'), null
  );
end
$$;

comment on function pgagent.complete_tool_call(uuid, jsonb, bigint) is
'Stores the result of a tool call; a later begin_tool_call with its key replays it.';
