begin;
\ir _items.sql
select plan(3);

select pg_temp.put_items('c1', '1', null, '[4]', '{a,b,c,d}', 40);
select pg_temp.put_items('c2', '2', '1', '[[3, 4], [1, 2]]', '{}', 40);
select pg_temp.put_items('c3', '3', '2', '[[1, 2], 1, [0, 1]]', '{e}', 40);

select results_eq(
  'select version, runs::text, runs_spent from pgagent.checkpoint_blobs order by version',
  $$
    values
    ('1' collate "C", '{"[1,5)"}', 0),
    ('2' collate "C", '{"[4,5)","[2,3)"}', 14),
    ('3' collate "C", '{"[6,9)"}', 0)
  $$
);
select is(pg_temp.items_of('c3'), 'b e d');
select is(pg_temp.items_of('c2'), 'd b', 'earlier versions are as they were');

select * from finish();
rollback;
