-- No byte of a thread outlives its row, whoever deletes it.
begin;
\ir ../_lib.sql
select plan(2);

create view pg_temp.rows_of_checkpoints as
select thread_id from pgagent.checkpoints
union all
select thread_id from pgagent.checkpoint_blobs
union all
select thread_id from pgagent.checkpoint_items
union all
select thread_id from pgagent.checkpoint_writes;

select pg_temp.put_value(t.id, 'c1', 'v', '1', 'x') from (values ('t'), ('u')) as t (id);
select pg_temp.put_write(t.id, 'c1', 'a', 0, 'y') from (values ('t'), ('u')) as t (id);
insert into pgagent.checkpoint_items values ('t', '', 'v', 1, 'text', 'x');
select bag_eq(
  'select * from pg_temp.rows_of_checkpoints', array['t', 't', 't', 't', 'u', 'u', 'u'] collate "C"
);

delete from pgagent.agent_sessions where thread_id = 't';
select bag_eq('select * from pg_temp.rows_of_checkpoints', array['u', 'u', 'u'] collate "C");

select * from finish();
rollback;
