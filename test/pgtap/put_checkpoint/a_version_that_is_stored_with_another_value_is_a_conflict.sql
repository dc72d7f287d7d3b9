-- Where both digests are of one format; a digest of another proves nothing.
begin;
\ir _items.sql
select plan(5);

select pg_temp.put_items('c1', '1', null, '[1]', '{a}', 9, '{"digest": "01", "digest_format": "f"}');

select lives_ok(
  $$select pg_temp.put_items('c1', '1', null, '[1]', '{a}', 9,
    '{"digest": "01", "digest_format": "f"}')$$, 'the same again'
);
select throws_ok(
  $$select pg_temp.put_items('c1', '1', null, '[1]', '{b}', 9,
    '{"digest": "02", "digest_format": "f"}')$$, 'PA004'
);
select throws_ok(
  $$
    select pgagent.put_checkpoint(
      '{"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c2", "checkpoint": {},
        "metadata": {}, "channels": [{"channel": "c", "version": "1", "type": "text", "offset": 0,
        "length": 0, "digest": "02", "digest_format": "f"}]}'
    )
  $$, 'PA004', null, 'whole or as items'
);
select lives_ok(
  $$select pg_temp.put_items('c1', '1', null, '[1]', '{b}', 9,
    '{"digest": "02", "digest_format": "g"}')$$
);
select is(pg_temp.items_of('c1'), 'a', 'the first stays');

select * from finish();
rollback;
