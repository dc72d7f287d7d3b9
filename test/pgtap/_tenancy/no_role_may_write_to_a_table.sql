-- Roles that run workers and tenants have EXECUTE alone: the fence cannot be walked round.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select 4 * 3 * (1 + count(*)::integer) from pgagent._thread_tables()));

select pg_temp.busy_thread('t', 'alice');
create temporary table tables as
select relation::text from pgagent._thread_tables()
union all
select 'pgagent.agent_sessions';
create temporary table roles as
select unnest('{t_reader,t_tenant,t_worker,t_admin}'::text[]) as role;

create function pg_temp.try(role text, statement text) returns text
language plpgsql volatile
as $$
declare
  v_state text := 'done';
begin
  perform set_config('role', role, true);
  begin
    execute statement;
  exception when others then
    v_state := sqlstate;
  end;
  perform set_config('role', 'none', true);
  return v_state;
end
$$;

select is(
  pg_temp.try(r.role, format(s.statement, t.relation)), '42501',
  r.role || ': ' || format(s.statement, t.relation)
)
from roles as r
cross join tables as t
cross join (
  values
  ('insert into %s (thread_id) values (''t'')'),
  ('update %s set thread_id = thread_id'),
  ('delete from %s')
) as s (statement);

select * from finish();
rollback;
