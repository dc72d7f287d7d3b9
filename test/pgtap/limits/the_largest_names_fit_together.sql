-- Names that are accepted one by one must also fit into one index entry. Random text, or the index
-- would compress it.
begin;
\ir ../_lib.sql
select plan(4);

create function pg_temp.name(bytes bigint) returns text
language sql volatile
as $$
  select left(string_agg(md5(random()::text), ''), bytes::integer)
  from generate_series(0, bytes / 32)
$$;
create function pg_temp.longest(name text) returns text
language sql volatile
as 'select pg_temp.name(value) from pgagent.limits where limits.name = longest.name';

select pg_temp.longest('thread_id') as thread, pg_temp.longest('checkpoint_ns') as ns,
  pg_temp.longest('name') as name1, pg_temp.longest('name') as name2 \gset
select is(
  pgagent.put_checkpoint(
    jsonb_build_object(
      'thread_id', :'thread', 'checkpoint_ns', :'ns', 'checkpoint_id', :'name1',
      'parent_checkpoint_id', null, 'checkpoint', '{"channel_versions": {}}'::jsonb,
      'metadata', '{}'::jsonb, 'channels', jsonb_build_array(jsonb_build_object(
        'channel', :'name1', 'version', :'name2', 'type', 'text', 'offset', 0, 'length', 1
      ))
    ), 'x'
  ), 1::bigint, 'a checkpoint'
);
select is(
  pg_temp.put_write(
    :'thread', :'name1', :'name2', 0, 'v', channel => pg_temp.longest('name'), ns => :'ns'
  ), 1::bigint, 'a write'
);
select is(
  (
    select enqueued from pgagent.enqueue_job(
      :'thread', '{}', queue => :'name1', idempotency_key => :'name2', trace_id => :'name1'
    )
  ), true, 'a job'
);
select is(
  (
    select appended from pgagent.append_message(
      :'thread', 'user', '"x"', turn => :'name1', idempotency_key => :'name2',
      tool_call_id => :'name1'
    )
  ), true, 'a message'
);

select * from finish();
rollback;
