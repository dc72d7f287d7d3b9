-- Checkpoints of all threads by their metadata, for list_checkpoints. With the rights of the owner,
-- since no index helps a filter by JSON under row security: the operator is not leakproof. So it
-- asks itself what the policies ask: a service role sees every thread, a tenant its own.
--
-- filter:        metadata must contain this object; null: nothing.
-- checkpoint_ns, checkpoint_id: those of one namespace, or one id; null: all.
-- before_time, before_seq: what is older than this; null: all.
-- max_rows:      at most so many, the newest; null: all; a negative number: none.
-- Locks nothing. Safe to call directly.
create function pgagent._with_metadata(
  filter jsonb, checkpoint_ns text, checkpoint_id text, before_time timestamptz,
  before_seq bigint, max_rows integer
)
returns table (thread text, ns text, id text)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if filter is null then
    return;
  end if;
  -- checkpoints_metadata_idx, where enable_metadata_index made it.
  return query
  select c.thread_id, c.checkpoint_ns, c.checkpoint_id
  from pgagent.checkpoints as c
  where c.metadata @> filter
    and c.checkpoint_ns = coalesce(_with_metadata.checkpoint_ns, c.checkpoint_ns)
    and c.checkpoint_id = coalesce(_with_metadata.checkpoint_id, c.checkpoint_id)
    and (before_time is null or (c.created_at, c.seq) < (before_time, before_seq))
    and (
      (
        select has_function_privilege(
          pgagent._caller(), 'pgagent._service()'::regprocedure, 'execute'
        )
      )
      or (select s.user_id from pgagent.agent_sessions as s where s.thread_id = c.thread_id)
        = (select pgagent._tenant())
    )
  order by c.created_at desc, c.seq desc
  limit case when max_rows < 0 then 0 else max_rows end;
end
$$;

comment on function pgagent._with_metadata(jsonb, text, text, timestamptz, bigint, integer) is
'Checkpoints that the caller may see, of all threads, by their metadata; newest first.';
