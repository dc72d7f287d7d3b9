begin;
\ir ../_lib.sql
select plan(2);

select results_eq(
  'select * from pgagent.enable_metadata_index()',
  array[
    'create index concurrently checkpoints_metadata_idx on pgagent.checkpoints '
    'using gin (metadata jsonb_path_ops)'
  ]
);
create index checkpoints_metadata_idx on pgagent.checkpoints
using gin (metadata jsonb_path_ops);
select is_empty('select * from pgagent.enable_metadata_index()');

select * from finish();
rollback;
