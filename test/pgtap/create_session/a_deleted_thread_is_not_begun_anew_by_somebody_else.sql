begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select pgagent.delete_session('t');

select throws_ok($$select pgagent.create_session('t', 'bob')$$, 'PA011', null, 'a service');
select become('t_tenant');
set local pgagent.user_id = 'bob';
select throws_ok($$select pgagent.create_session('t')$$, 'PA011', null, 'another tenant');

select * from finish();
rollback;
