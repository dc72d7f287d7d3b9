-- A thread with one of each that nothing leads to: a version, the items of another, and a write.

-- Stores a checkpoint whose channel c is a list of so many letters, in version `version`.
create function pg_temp.put_list(thread text, id text, version text, letters text)
returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(
    jsonb_build_object(
      'thread_id', thread, 'checkpoint_ns', '', 'checkpoint_id', id, 'metadata', '{}'::jsonb,
      'checkpoint', jsonb_build_object('channel_versions', jsonb_build_object('c', version)),
      'channels', jsonb_build_array(jsonb_build_object(
        'channel', 'c', 'version', version, 'type', 'list', 'base', null, 'types', 'text',
        'parts', jsonb_build_array(length(letters)), 'offset', 0, 'length', length(letters),
        'lengths', (select jsonb_agg(1) from generate_series(1, length(letters))),
        'size', length(letters)
      ))
    ), convert_to(letters, 'UTF8')
  )
$$;

-- A checkpoint with channel b in one version and channel c in three items; both also have a value
-- that nothing names any more, and there is a write of a checkpoint that never came.
create function pg_temp.with_orphans(thread text) returns void
language sql volatile security definer
as $$
  select pg_temp.put_value(thread, 'gone1', 'b', '1', 'old');
  select pg_temp.put_list(thread, 'gone2', '1', 'abcd');
  delete from pgagent.checkpoints where thread_id = thread;
  select pg_temp.put_list(thread, 'c1', '2', 'xyz');
  select pg_temp.put_value(thread, 'c2', 'b', '2', 'new');
  select pg_temp.put_write(thread, 'c2', 'task', 0, 'w');
  select pg_temp.put_write(thread, 'never', 'task', 0, 'lost');
$$;

-- Numbers of its versions, items and writes.
create function pg_temp.left_of(thread text) returns bigint[]
language sql volatile security definer
as $$
  select array[
    (select count(*) from pgagent.checkpoint_blobs where thread_id = thread),
    (select count(*) from pgagent.checkpoint_items where thread_id = thread),
    (select count(*) from pgagent.checkpoint_writes where thread_id = thread)
  ]
$$;
