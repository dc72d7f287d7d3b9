-- EXECUTE on everything but the marks makes at most a tenant.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select count(*)::integer from pg_temp.calls('t', 1)));

select pg_temp.busy_thread('t', 'alice');
grant usage on schema pgagent to t_stranger;
grant execute on all functions in schema pgagent to t_stranger;
revoke execute on function pgagent._service(), pgagent._writer() from t_stranger;
select become('t_stranger');

select throws_ok(c.call, 'PA011', null, c.routine) from pg_temp.calls('t', 2) as c;

select * from finish();
rollback;
