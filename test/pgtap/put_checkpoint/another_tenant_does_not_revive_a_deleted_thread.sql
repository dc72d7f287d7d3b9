begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select pgagent.delete_session('t');
select become('t_tenant');
set local pgagent.user_id = 'bob';
select throws_ok($$select pg_temp.put('t', 'c2', seen => 1)$$, 'PA011');
set local pgagent.user_id = 'alice';
select is(pg_temp.put('t', 'c2', seen => 1), 1::bigint);

select * from finish();
rollback;
