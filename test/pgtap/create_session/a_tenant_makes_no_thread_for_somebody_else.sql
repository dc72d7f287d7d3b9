begin;
\ir ../_lib.sql
select plan(1);

select become('t_tenant');
set local pgagent.user_id = 'alice';

select throws_ok($$select pgagent.create_session('t', 'bob')$$, 'PA011');

select * from finish();
rollback;
