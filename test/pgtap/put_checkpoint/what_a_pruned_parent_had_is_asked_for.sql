begin;
\ir ../_lib.sql
select plan(11);

-- A checkpoint whose channels have these versions, and what it sends of them.
create function pg_temp.carry(
  id text, parent text, versions jsonb, carried jsonb, value text default null,
  metadata jsonb default '{}'
) returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(
    jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', id, 'parent_checkpoint_id', parent,
      'metadata', metadata, 'carried', carried,
      'checkpoint', jsonb_build_object('channel_versions', versions),
      'channels', case when value is null then '[]' else jsonb_build_array(jsonb_build_object(
        'channel', 'a', 'version', versions ->> 'a', 'type', 'text', 'offset', 0,
        'length', octet_length(value)
      )) end
    ), convert_to(coalesce(value, ''), 'UTF8')
  )
$$;

select pg_temp.carry('c1', null, '{"a": "1"}', '[]', 'one');
select lives_ok(
  $$select pg_temp.carry('c2', 'c1', '{"a": "1"}', '["a"]')$$, 'the parent had it: it is stored'
);
select pg_temp.carry('c3', 'c2', '{"a": "2"}', '[]', 'two');
select lives_ok(
  $$select pg_temp.carry('b1', 'c1', '{"a": "1"}', '["a"]')$$, 'a branch carries values too'
);
select pg_temp.carry('c4', 'c3', '{"a": "2"}', '["a"]');
select is(pgagent.prune_history('t'), 4::bigint, 'c1, c2, b1 and c3 go, and with them the first value');

select is(
  pg_temp.refusal($$select pg_temp.carry('b2', 'b1', '{"a": "1"}', '["a"]')$$),
  'PA010 the parent is not stored any more, nor are values that it had | channels: a | '
  'Send the values too, or read the thread again and repeat the run.'
);
select is(pg_temp.latest('t'), 'c4', 'nothing is stored');
select lives_ok(
  $$select pg_temp.carry('b2', 'b1', '{"a": "1"}', '[]', 'one')$$, 'sent with the value it is'
);
select lives_ok(
  $$select pg_temp.carry('c5', 'c3', '{"a": "2"}', '["a"]')$$,
  'nor is it refused when what the parent had is stored'
);
select lives_ok(
  $$select pg_temp.carry('e1', 'none', '{"a": "1", "x": "9"}', '["y"]')$$,
  'a channel without a version has no value'
);
select throws_ok(
  $$select pg_temp.carry('e2', null, '{"a": "9"}', '["a"]')$$, 'PA010', null,
  'without a parent, too'
);
select throws_ok(
  $$
    select pg_temp.carry(
      'e3', 'none', '{"d": "1"}', '[]', null, '{"counters_since_delta_snapshot": {"d": [1, 1]}}'
    )
  $$, 'PA010', null, 'what is rebuilt from writes needs its parent'
);
select throws_ok(
  $$select pg_temp.carry('e4', null, '{}', '{"a": 1}')$$, 'PA008', 'carried must be a JSON array'
);

select * from finish();
rollback;
