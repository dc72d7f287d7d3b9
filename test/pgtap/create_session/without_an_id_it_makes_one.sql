begin;
\ir ../_lib.sql
select plan(2);

select thread from pgagent.create_session() \gset
select results_eq('select thread_id from pgagent.sessions', array[:'thread' collate "C"]);
select isnt((select thread from pgagent.create_session()), :'thread');

select * from finish();
rollback;
