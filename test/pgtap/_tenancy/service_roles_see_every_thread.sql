begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t', 'alice');
select pgagent.create_session('u');
select become('t_reader');
select is((select count(*) from pgagent.sessions), 2::bigint, 'reader');
select become('t_worker');
select is((select count(*) from pgagent.sessions), 2::bigint, 'worker');
select become('t_admin');
select is((select count(*) from pgagent.sessions), 2::bigint, 'admin');

select * from finish();
rollback;
