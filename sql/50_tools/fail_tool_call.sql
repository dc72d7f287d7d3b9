-- Stores that a tool call failed. It may be made again when it took no effect; when nobody knows
-- whether it did, later callers are told that it is in doubt.
--
-- call_id:        the call, as begin_tool_call returned it.
-- error:          why (at most 1 MB).
-- in_doubt:       true when the tool may have taken effect all the same.
-- fencing_token:  the token of the run that called.
-- Returns:        FAILED or IN_DOUBT.
-- Locks, raises:  as complete_tool_call; PA005 when it succeeded before.
-- Safe to repeat: yes.
create function pgagent.fail_tool_call(
  call_id uuid, error jsonb, in_doubt boolean default false, fencing_token bigint default null
)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if in_doubt is null then
    perform pgagent._raise('PA008', 'in_doubt must be true or false');
  end if;
  return pgagent._end_tool_call(
    call_id, fencing_token, case when in_doubt then 'IN_DOUBT' else 'FAILED' end, null,
    coalesce(error, 'null')
  );
end
$$;

comment on function pgagent.fail_tool_call(uuid, jsonb, boolean, bigint) is
'Stores that a tool call failed: without effect, or in doubt.';
