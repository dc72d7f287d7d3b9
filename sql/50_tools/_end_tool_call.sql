-- Ends a tool call one way or the other: the body of complete_tool_call and fail_tool_call.
create function pgagent._end_tool_call(
  call_id uuid, fencing_token bigint, ended_as text, result jsonb, error jsonb
)
returns text
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c pgagent.tool_calls;
begin
  if _end_tool_call.call_id is null then
    perform pgagent._raise('PA008', 'call_id is required', '', 'begin_tool_call returns it.');
  end if;
  perform pgagent._check_size('result', _end_tool_call.result, 'result');
  perform pgagent._check_size('error', _end_tool_call.error, 'result');

  select t.* into c from pgagent.tool_calls as t where t.call_id = _end_tool_call.call_id;
  if not found then
    perform pgagent._raise(
      'PA003', 'no such tool call', format('call_id: %s', _end_tool_call.call_id)
    );
  end if;
  perform pgagent._enter(c.thread_id, _end_tool_call.fencing_token);
  select t.* into c
  from pgagent.tool_calls as t
  where t.call_id = _end_tool_call.call_id
  for no key update of t;

  if c.status = ended_as then
    if c.result is distinct from _end_tool_call.result then
      perform pgagent._raise(
        'PA004', 'the tool call succeeded before with another result',
        format('call_id: %s', c.call_id), 'The first result stands.'
      );
    end if;
    return ended_as;
  elsif c.status in ('SUCCEEDED', 'FAILED') then
    perform pgagent._raise(
      'PA005', format('the tool call is %s', c.status), format('call_id: %s', c.call_id)
    );
  end if;
  update pgagent.tool_calls as t
  set
    status = ended_as, result = _end_tool_call.result, error = _end_tool_call.error,
    ended_at = case when ended_as <> 'IN_DOUBT' then pgagent._now() end
  where t.call_id = _end_tool_call.call_id;
  return ended_as;
end
$$;

comment on function pgagent._end_tool_call(uuid, bigint, text, jsonb, jsonb) is
'Ends a tool call as SUCCEEDED, FAILED or IN_DOUBT under the fence of its thread.';
