-- By the versions of channels that they have seen and had not seen before.
begin;
\ir ../_lib.sql
select plan(1);

create function pg_temp.seen(id text, parent text, source text, seen jsonb) returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(
    jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', id, 'parent_checkpoint_id', parent,
      'checkpoint', jsonb_build_object('channel_versions', '{}'::jsonb, 'versions_seen', seen),
      'metadata', jsonb_build_object('source', source), 'channels', '[]'::jsonb
    )
  )
$$;
select pg_temp.seen('c1', null, 'input', '{"__input__": {}}');
select pg_temp.seen('c2', 'c1', 'loop', '{"__input__": {}, "__start__": {"in": "1"}}');
select pg_temp.seen(
  'c3', 'c2', 'loop',
  '{"__input__": {}, "__start__": {"in": "1"}, "a": {"x": "1"}, "b": {"x": "1"}}'
);
select pg_temp.seen(
  'c4', 'c3', 'loop',
  '{"__start__": {"in": "1"}, "a": {"x": "1"}, "b": {"x": "2"}, "sent": {},
    "__interrupt__": {"x": "2"}}'
);
select pg_temp.seen(
  'c5', 'c4', 'loop',
  '{"__start__": {"in": "1"}, "a": {"x": "1"}, "b": {"x": "2"}, "sent": {}}'
);
select pg_temp.seen('c6', 'c5', 'update', '{"a": {"x": "1"}, "b": {"x": "2"}, "sent": {}}');
select pg_temp.seen('c7', 'c6', 'loop', '[]');

select results_eq(
  $$select h.id, h.nodes from pgagent.checkpoint_history('t') as h$$,
  $$
    values
    ('c7', '{}'::text[]), ('c6', '{}'), ('c5', '{sent}'), ('c4', '{b,sent}'), ('c3', '{a,b}'),
    ('c2', '{__start__}'), ('c1', '{}')
  $$
);

select * from finish();
rollback;
