begin;
\ir ../_lib.sql
select plan(5);

select pg_temp.put('t', 'c1', step => 1);
select pg_temp.put('t', 'c2', step => 2);

select is(pg_temp.put('t', 'c1', step => 7, source => 'update'), 1::bigint);
select is(pg_temp.latest('t'), 'c2');
select results_eq(
  'select head_checkpoint_id, last_checkpoint_seq from pgagent.sessions',
  $$values ('c2' collate "C", 2::bigint)$$
);
select is(
  (select metadata ->> 'step' from pgagent.checkpoints where checkpoint_id = 'c1'), '7',
  'what it says is replaced'
);
select is(pg_temp.put('t', 'c3'), 3::bigint, 'no number is lost');

select * from finish();
rollback;
