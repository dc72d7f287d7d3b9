begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.create_session('u');
select pgagent.append_message('t', 'user', '"x"');

select is((select seq from pgagent.append_message('u', 'user', '"x"')), 1::bigint);

select * from finish();
rollback;
