-- Raises PA010 when a checkpoint whose parent is not stored names versions that are not stored
-- either. A checkpoint carries what its parent had and sends what is new; a run that was overtaken,
-- or began from an old checkpoint, may find that its parent was pruned meanwhile, with its values.
--
-- thread_id, checkpoint_ns, checkpoint_id: the checkpoint, which is stored with its new values.
-- carried: names of channels that have a value it did not send.
-- Without a parent nothing is rebuilt from writes: only with one, delta channels count too.
create function pgagent._check_carried(
  thread_id text, checkpoint_ns text, checkpoint_id text, carried jsonb
)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c pgagent.checkpoints;
  v_channels text[];
begin
  select x.* into c
  from pgagent.checkpoints as x
  where x.thread_id = _check_carried.thread_id
    and x.checkpoint_ns = _check_carried.checkpoint_ns
    and x.checkpoint_id = _check_carried.checkpoint_id;
  v_channels := array(select jsonb_array_elements_text(coalesce(carried, '[]')));
  if c.parent_checkpoint_id is not null then
    v_channels := v_channels || pgagent._delta_channels(c);
  end if;
  v_channels := pgagent._without_value(c, v_channels);
  if v_channels <> '{}' then
    perform pgagent._raise(
      'PA010', 'the parent is not stored any more, nor are values that it had',
      format('channels: %s', array_to_string(v_channels, ', ')),
      'Send the values too, or read the thread again and repeat the run.'
    );
  end if;
end
$$;

comment on function pgagent._check_carried(text, text, text, jsonb) is
'Raises PA010 when a checkpoint without its parent names versions that are not stored.';
