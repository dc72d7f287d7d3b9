begin;
\ir ../_lib.sql
select plan(1);

select become('t_tenant');
set local pgagent.user_id = 'alice';
select pg_temp.put_write('t', 'c1', 'a', 0, 'v');

select is((select user_id from pgagent.sessions), 'alice' collate "C");

select * from finish();
rollback;
