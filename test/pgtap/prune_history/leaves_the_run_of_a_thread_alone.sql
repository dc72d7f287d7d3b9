begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pg_temp.put('t', 'c2', 1, parent => 'c1', step => 1);
select pg_temp.put_write('t', 'c1', 'a', 0, 'old', 1);
select pg_temp.put_write('t', 'c2', 'a', 0, 'new', 1);

select is(pgagent.prune_history('t'), 1::bigint);
select is(
  (select convert_from(blob, 'UTF8') from pgagent.checkpoint_writes), 'new',
  'writes of the head stay'
);
select is((select head_checkpoint_id from pgagent.agent_sessions), 'c2' collate "C");
select lives_ok($$select pg_temp.put('t', 'c3', 1, parent => 'c2', step => 2)$$);

select * from finish();
rollback;
