-- And owns what it made.
begin;
\ir ../_lib.sql
select plan(4);

select pgagent.create_session('t', 'alice');
select pg_temp.put('t', 'c1');
select become('t_tenant');
set local pgagent.user_id = 'bob';
select alike(
  pg_temp.refusal($$select pgagent.fork_session('t', new_thread => 'u')$$), 'PA011 %'
);
set local pgagent.user_id = 'alice';
select lives_ok($$select pgagent.fork_session('t', new_thread => 'u')$$);
select isnt_empty($$select * from pgagent.checkpoint_history('u')$$);
set local pgagent.user_id = 'bob';
select is_empty($$select * from pgagent.checkpoint_history('u')$$);

select * from finish();
rollback;
