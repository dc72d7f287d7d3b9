-- The functions that write run with the rights of the schema's owner, so they must not ask
-- current_user; and a superuser that became a tenant is a tenant.
begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t', 'alice');
set local pgagent.user_id = 'bob';
select lives_ok($$select pgagent.append_event('t', 'x')$$, 'the owner of the schema');
select become('t_tenant');
select throws_ok($$select pgagent.append_event('t', 'x')$$, 'PA011', null, 'after SET ROLE');
select become('t_worker');
select lives_ok($$select pgagent.append_event('t', 'x')$$, 'a worker, whoever it names');

select * from finish();
rollback;
