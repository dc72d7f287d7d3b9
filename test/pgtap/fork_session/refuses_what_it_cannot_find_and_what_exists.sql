begin;
\ir ../_lib.sql
select plan(9);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 's1', ns => 'sub');
select pgagent.create_session('empty');
select pgagent.create_session('gone'), pgagent.delete_session('gone');
update pgagent.agent_sessions set status = 'ARCHIVED' where thread_id = 'empty';
select pgagent.create_session('bare');

select alike(pg_temp.refusal($$select pgagent.fork_session('nowhere')$$), 'PA003 no such thread%');
select alike(
  pg_temp.refusal($$select pgagent.fork_session('t', 'c2')$$), 'PA003 no such checkpoint%id: c2 |%'
);
select alike(
  pg_temp.refusal($$select pgagent.fork_session('t', 's1')$$), 'PA003 %', 'one of a subgraph'
);
select alike(
  pg_temp.refusal($$select pgagent.fork_session('bare')$$), 'PA003 %: none |%', 'no checkpoint'
);
select alike(pg_temp.refusal($$select pgagent.fork_session('empty')$$), 'PA006 %');
select alike(pg_temp.refusal($$select pgagent.fork_session('gone')$$), 'PA006 %');
select alike(
  pg_temp.refusal($$select pgagent.fork_session('t', new_thread => 'gone')$$), 'PA004 %gone |%'
);
select alike(pg_temp.refusal($$select pgagent.fork_session('t', new_thread => 't')$$), 'PA004 %');
select ok((pgagent.fork_session('t')).thread ~ '^[0-9a-f-]{36}$', 'without an id one is made');

select * from finish();
rollback;
