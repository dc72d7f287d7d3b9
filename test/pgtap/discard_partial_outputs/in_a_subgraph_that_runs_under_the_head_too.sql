begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pg_temp.put('t', 's1', 1, ns => 'sub', parents => '{"": "c1"}');
select pg_temp.put_write('t', 's1', 'a', 0, 'v', 1, ns => 'sub');
select pg_temp.put_write('t', 's1', 'a', -1, 'e', 1, channel => '__error__', ns => 'sub');
select pg_temp.put('t', 'o1', 1, ns => 'old', parents => '{"": "c0"}');
select pg_temp.put_write('t', 'o1', 'a', 0, 'v', 1, ns => 'old');
select pg_temp.put_write('t', 'o1', 'a', -1, 'e', 1, channel => '__error__', ns => 'old');

select is(pgagent.discard_partial_outputs('t', 1), 2::bigint);
select results_eq(
  'select distinct checkpoint_ns from pgagent.checkpoint_writes', array['old' collate "C"]
);

select * from finish();
rollback;
