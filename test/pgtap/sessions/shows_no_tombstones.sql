begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.create_session('u');
select pgagent.delete_session('t');

select results_eq('select thread_id from pgagent.sessions', $$values ('u' collate "C")$$);

select * from finish();
rollback;
