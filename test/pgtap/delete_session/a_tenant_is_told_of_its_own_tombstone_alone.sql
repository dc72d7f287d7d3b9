begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select pgagent.delete_session('t');
select become('t_tenant');
set local pgagent.user_id = 'alice';
select is(pgagent.delete_session('t'), false);
set local pgagent.user_id = 'bob';
select throws_ok($$select pgagent.delete_session('t')$$, 'PA011');

select * from finish();
rollback;
