-- How to make the index for lists of checkpoints of all threads by their metadata. Off by default:
-- it costs every put, and who asks by thread needs none.
--
-- Returns: the statements to run, one after the other, each outside a transaction block; none when
--          the index is there. `select * from pgagent.enable_metadata_index() \gexec` in psql, or
--          `pgagentctl metadata-index`, as the owner of the schema. They hold up no run. An index
--          that was left half made is dropped first.
-- Locks nothing. Safe to repeat. The index is not part of a dump: make it again after a restore.
create function pgagent.enable_metadata_index()
returns setof text
language sql
stable
begin atomic
  with found as (
    select i.indisvalid
    from pg_catalog.pg_index as i
    join pg_catalog.pg_class as c
      on c.oid = i.indexrelid
    where
      i.indrelid = 'pgagent.checkpoints'::regclass
      and c.relname = 'checkpoints_metadata_idx'
  )

  select 'drop index concurrently pgagent.checkpoints_metadata_idx'
  from found as f
  where not f.indisvalid
  union all
  select
    'create index concurrently checkpoints_metadata_idx on pgagent.checkpoints '
    'using gin (metadata jsonb_path_ops)'
  where not exists (
    select from found as f
    where f.indisvalid
  );
end;

comment on function pgagent.enable_metadata_index() is
'The statements that make the index for lists by metadata; none when it is there.';
