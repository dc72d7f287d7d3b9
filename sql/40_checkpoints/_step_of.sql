-- The step in a checkpoint's metadata; null when there is none that makes sense.
create function pgagent._step_of(metadata jsonb)
returns integer
language sql
immutable
parallel safe
begin atomic
  select
    case
      when jsonb_typeof(metadata -> 'step') = 'number'
        then
          case
            when (metadata -> 'step')::numeric between -2147483647 and 2147483647
              then (metadata -> 'step')::integer
          end
    end;
end;

comment on function pgagent._step_of(jsonb) is 'The step of a checkpoint, from its metadata.';
