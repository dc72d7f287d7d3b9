-- Refuses what a task does while the checkpoint that it runs from is not stored: after a crash the
-- task would run again under another id, and its keys would be others.
create function pgagent._check_step(thread_id text, checkpoint_ns text, step_id text)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if _check_step.step_id is not null and not exists (
    select from pgagent.checkpoints as k
    where k.thread_id = _check_step.thread_id
      and k.checkpoint_ns = _check_step.checkpoint_ns
      and k.checkpoint_id = _check_step.step_id
  ) then
    perform pgagent._raise(
      'PA007', 'the checkpoint that the call runs from is not stored',
      format(
        'thread_id: %s, checkpoint_ns: %s, checkpoint_id: %s', _check_step.thread_id,
        _check_step.checkpoint_ns, _check_step.step_id
      ),
      'Wait until it is, then ask again.'
    );
  end if;
end
$$;

comment on function pgagent._check_step(text, text, text) is
'Raises PA007 while the checkpoint that a task runs from is not stored.';
