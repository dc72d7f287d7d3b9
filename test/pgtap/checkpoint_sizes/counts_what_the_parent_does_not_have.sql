begin;
\ir ../_lib.sql
select plan(4);

create function pg_temp.put_list(id text, parent text, versions jsonb, channels jsonb, body text)
returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(
    jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', id, 'parent_checkpoint_id', parent,
      'checkpoint', jsonb_build_object('channel_versions', versions), 'metadata', '{}'::jsonb,
      'channels', channels
    ), convert_to(body, 'UTF8')
  )
$$;
insert into pgagent.agent_sessions (thread_id) values ('t');
select pg_temp.put_list('c1', null, '{"a": "1", "l": "1"}',
  '[{"channel": "a", "version": "1", "type": "text", "offset": 0, "length": 1000}]',
  repeat('x', 1000));
insert into pgagent.checkpoint_items (thread_id, checkpoint_ns, channel, seq, type, blob)
select 't', '', 'l', n, 'text', convert_to(repeat('y', 500), 'UTF8') from generate_series(0, 9) as n;
insert into pgagent.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, runs)
values ('t', '', 'l', '1', 'list', '{"[0,8)"}'), ('t', '', 'l', '2', 'list', '{"[0,5)","[7,10)"}');
select pg_temp.put_list('c2', 'c1', '{"a": "1", "l": "2"}', '[]', '');
select pg_temp.put_list('c3', 'c2', '{"a": "1", "l": "2"}', '[]', '');
create function pg_temp.bytes(id text) returns bigint
language sql volatile
as $$select s.bytes from pgagent.checkpoint_sizes('t', '', array[id]) as s$$;

select ok(pg_temp.bytes('c1') between 1000 + 8 * 500 and 1000 + 8 * 500 + 400, 'value and items');
select ok(pg_temp.bytes('c2') between 2 * 500 and 2 * 500 + 400, 'two new items');
select ok(pg_temp.bytes('c3') < 200, 'its row');
select results_eq(
  $$select s.id from pgagent.checkpoint_sizes('t', '', '{c1,c1,c3,unknown}') as s order by 1$$,
  '{c1,c3}'::text[], 'each once, and those that are stored'
);

select * from finish();
rollback;
