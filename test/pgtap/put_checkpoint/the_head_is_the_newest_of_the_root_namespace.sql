begin;
\ir ../_lib.sql
select plan(4);

create function pg_temp.head() returns text
language sql volatile
as 'select head_checkpoint_id from pgagent.agent_sessions';

select pg_temp.put('t', 'c1');
select is(pg_temp.head(), 'c1');
select pg_temp.put('t', 'c2', parent => 'c1');
select is(pg_temp.head(), 'c2');
select pg_temp.put('t', 'c3', ns => 'sub');
select is(pg_temp.head(), 'c2', 'not of another namespace');
select pg_temp.put('t', 'c4', parent => 'c1', source => 'fork');
select is(pg_temp.head(), 'c4', 'a fork is what a get returns');

select * from finish();
rollback;
