-- The id of the checkpoint of a namespace that was stored last; null without one.
create function pgagent._newest(thread_id text, checkpoint_ns text)
returns text
language sql
stable
begin atomic
  -- checkpoints_seq_is_unique, read backwards
  select c.checkpoint_id
  from pgagent.checkpoints as c
  where c.thread_id = _newest.thread_id and c.checkpoint_ns = _newest.checkpoint_ns
  order by c.seq desc
  limit 1;
end;

comment on function pgagent._newest(text, text) is
'The id of the checkpoint of a namespace that was stored last.';
