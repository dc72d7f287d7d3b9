-- Compares what an agent did with what it should have done: its tool calls, never the wording.
-- Answers as the package agentevals does.
--
-- trajectory, reference: JSON arrays of messages, as the rows of trajectory: {"role": ...,
--          "tool_calls": [{"name": ..., "args": {...}}]}. Other members are not looked at;
--          tool_calls may be missing, null or empty, which is the same.
-- mode:    strict     the same messages by role, in order, each with the same calls in any order
--          unordered  the same calls, whatever the messages
--          subset     the reference has a partner for each call
--          superset   the trajectory has a partner for each call of the reference
-- arguments: when two calls of a tool are partners:
--          exact      their arguments are equal
--          ignore     always
--          subset     each argument of ours is in the reference's, with an equal value
--          superset   each argument of the reference's is in ours, with an equal value
--          In mode subset, and where unordered looks for partners in the reference, the two change
--          places.
-- tools:   a JSON object, tool to what holds for it instead: one of those words; an array
--          of arguments that must be equal, by name or path ('a.b'); or {"pairs": [[m, n], ...]},
--          the numbers, from 0, of calls of the trajectory and of the reference that are partners.
-- Returns: matches; parts_at, in mode strict the position from 1 of the first message that differs;
--          missing, the calls of the reference without a partner, and extra, the calls of the
--          trajectory without one, as JSON arrays. A call has one partner: the first that fits.
-- Raises:  PA008 bad arguments.
create function pgagent.compare_trajectories(
  trajectory jsonb, reference jsonb, mode text default 'strict', arguments text default 'exact',
  tools jsonb default '{}'
)
returns table (matches boolean, parts_at integer, missing jsonb, extra jsonb)
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_ours jsonb;
  v_theirs jsonb;
begin
  perform pgagent._check_trajectory('trajectory', compare_trajectories.trajectory);
  perform pgagent._check_trajectory('reference', compare_trajectories.reference);
  perform pgagent._check_comparison(
    compare_trajectories.mode, compare_trajectories.arguments, compare_trajectories.tools
  );
  v_ours := pgagent._calls_of(compare_trajectories.trajectory, true);
  v_theirs := pgagent._calls_of(compare_trajectories.reference, false);
  if compare_trajectories.mode = 'strict' then
    for v_at in 1 .. greatest(
      jsonb_array_length(compare_trajectories.trajectory),
      jsonb_array_length(compare_trajectories.reference)
    ) loop
      if compare_trajectories.trajectory -> (v_at - 1) -> 'role'
        is distinct from compare_trajectories.reference -> (v_at - 1) -> 'role'
        or jsonb_array_length(pgagent._calls_at(v_ours, v_at))
        <> jsonb_array_length(pgagent._calls_at(v_theirs, v_at))
        or pgagent._without_partner(
          pgagent._calls_at(v_ours, v_at), pgagent._calls_at(v_theirs, v_at), true,
          compare_trajectories.arguments, compare_trajectories.tools
        ) <> '[]' then
        parts_at := v_at;
        exit;
      end if;
    end loop;
  end if;
  missing := pgagent._without_partner(
    v_theirs, v_ours, false, compare_trajectories.arguments, compare_trajectories.tools
  );
  extra := pgagent._without_partner(
    v_ours, v_theirs, false, compare_trajectories.arguments, compare_trajectories.tools
  );
  matches := case compare_trajectories.mode
    when 'strict' then parts_at is null
    when 'unordered' then missing = '[]' and extra = '[]'
    when 'subset' then extra = '[]'
    else missing = '[]'
  end;
  return next;
end
$$;

comment on function pgagent.compare_trajectories(jsonb, jsonb, text, text, jsonb) is
'Compares what an agent did with a reference: which calls are missing, which are too many.';
