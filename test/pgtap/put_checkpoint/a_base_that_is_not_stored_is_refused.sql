begin;
\ir _items.sql
select plan(4);

select pg_temp.put_value('t', 'c0', 'c', '0', 'whole');
select throws_ok(
  $$select pg_temp.put_items('c1', '2', '1', '[[0, 1]]', '{}')$$, 'PA007', null, 'unknown'
);
select throws_ok(
  $$select pg_temp.put_items('c1', '2', '0', '[[0, 1]]', '{}')$$, 'PA007', null, 'stored whole'
);
select is((select count(*) from pgagent.checkpoints), 1::bigint, 'nothing is stored');
select lives_ok($$select pg_temp.put_items('c1', '2', null, '[1]', '{a}')$$, 'sent whole it is');

select * from finish();
rollback;
