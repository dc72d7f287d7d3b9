-- It lies in the writes of its parent, which need not be stored itself.
begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', 'child', parent => 'parent');
update pgagent.checkpoints set checkpoint = jsonb_set(checkpoint, '{v}', '3');
select pg_temp.put_write('t', 'parent', 'task', 0, 'sent', channel => '__pregel_tasks');
select pg_temp.put_write('t', 'parent', 'task', 1, 'other');
select pg_temp.put_write('t', 'nobody', 'task', 0, 'lost', channel => '__pregel_tasks');

select results_eq(
  $$select writes from pgagent.sweep_orphans('0')$$, array[2::bigint]
);
select is(
  (select convert_from(blob, 'UTF8') from pgagent.checkpoint_writes), 'sent'
);

select * from finish();
rollback;
