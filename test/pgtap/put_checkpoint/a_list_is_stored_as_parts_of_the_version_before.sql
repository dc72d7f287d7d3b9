begin;
\ir _items.sql
select plan(9);

select pg_temp.put_items('c1', '1', null, '[3]', '{a,b,c}');
select pg_temp.put_items('c2', '2', '1', '[[0, 3], 1]', '{d}');
select pg_temp.put_items('c3', '3', '2', '[[1, 2], 2, [2, 4]]', '{x,y}');
select pg_temp.put_items('c4', '4', '3', '[[3, 5], [0, 1]]', '{}');
select pg_temp.put_items('c5', '5', '4', '[]', '{}');
select pg_temp.put_items('c6', '6', '1', '[[0, 3], 1]', '{e}');

select is(pg_temp.items_of('c1'), 'a b c');
select is(pg_temp.items_of('c2'), 'a b c d', 'appended to');
select is(pg_temp.items_of('c3'), 'b x y c d', 'edited');
select is(pg_temp.items_of('c4'), 'c d b', 'reordered');
select is(pg_temp.items_of('c5'), null, 'emptied');
select is(pg_temp.items_of('c6'), 'a b c e', 'a branch takes numbers of its own');
select is((select count(*) from pgagent.checkpoint_items), 7::bigint, 'each item is stored once');
select results_eq(
  $$select runs::text from pgagent.checkpoint_blobs order by version$$,
  array[
    '{"[1,4)"}', '{"[1,5)"}', '{"[2,3)","[5,7)","[3,5)"}', '{"[3,5)","[2,3)"}', '{}',
    '{"[1,4)","[7,8)"}'
  ], 'neighbours are one run'
);
select is(
  (
    select string_agg(convert_from(blob, 'UTF8'), '' order by idx)
    from pgagent.list_checkpoints('t') where kind = 'item'
  ), 'abcdxye', 'a list gives each once'
);

select * from finish();
rollback;
