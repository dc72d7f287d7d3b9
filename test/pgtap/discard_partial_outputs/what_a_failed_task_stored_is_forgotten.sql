-- A routing function that raised after the node had returned leaves an error beside the outputs.
begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pg_temp.put_write('t', 'c1', 'failed', 0, 'v', 1);
select pg_temp.put_write('t', 'c1', 'failed', 1, 'v', 1);
select pg_temp.put_write('t', 'c1', 'failed', -1, 'e', 1, channel => '__error__');
select pg_temp.put_write('t', 'c1', 'failed', -3, 'q', 1, channel => '__interrupt__');
select pg_temp.put_write('t', 'c1', 'fine', 0, 'v', 1);

select is(pgagent.discard_partial_outputs('t', 1), 3::bigint);
select results_eq(
  'select task_id, idx from pgagent.checkpoint_writes order by 1',
  $$values ('failed' collate "C", -3), ('fine', 0)$$
);
select is(pgagent.discard_partial_outputs('t', 1), 0::bigint, 'once');

select * from finish();
rollback;
