begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(8);

select pg_temp.busy_thread('t', 'alice');
select pg_temp.job('t') as job \gset
select become('t_tenant');
set local pgagent.user_id = 'bob';

select is_empty(format('select * from pgagent.get_job(%L)', :'job'));
select is_empty($$select * from pgagent.get_checkpoint('t')$$);
select is_empty($$select * from pgagent.list_checkpoints('t')$$);
select is_empty($$select * from pgagent.list_checkpoints()$$);
set local pgagent.user_id = 'alice';
select isnt_empty(format('select * from pgagent.get_job(%L)', :'job'));
select isnt_empty($$select * from pgagent.get_checkpoint('t')$$);
select isnt_empty($$select * from pgagent.list_checkpoints('t')$$);
select isnt_empty($$select * from pgagent.list_checkpoints()$$);

select * from finish();
rollback;
