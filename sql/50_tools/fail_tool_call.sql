-- Stores that a tool call failed and took no effect: it may be made again.
--
-- call_id:        the call, as begin_tool_call returned it.
-- error:          why (at most 1 MB).
-- fencing_token:  the token of the run that called.
-- Returns:        FAILED.
-- Locks, raises:  as complete_tool_call; PA005 when it succeeded before.
-- Safe to repeat: yes.
create function pgagent.fail_tool_call(
  call_id uuid, error jsonb, fencing_token bigint default null
)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return pgagent._end_tool_call(call_id, fencing_token, 'FAILED', null, coalesce(error, 'null'));
end
$$;

comment on function pgagent.fail_tool_call(uuid, jsonb, bigint) is
'Stores that a tool call failed without effect; it may be made again.';
