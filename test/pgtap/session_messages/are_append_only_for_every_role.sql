begin;
\ir ../_lib.sql
select plan(8);

select pgagent.create_session('t', 'alice');
select pgagent.append_message('t', 'user', '"x"');
create temporary table roles as
select unnest('{t_reader,t_tenant,t_worker,t_admin}'::text[]) as role;
create function pg_temp.as_role(role text, statement text) returns text
language plpgsql volatile
as $$
begin
  perform set_config('role', role, true);
  execute statement;
  return 'done';
exception when others then
  return sqlstate;
end
$$;

select is(pg_temp.as_role(r.role, $$update pgagent.session_messages set content = '1'$$), '42501')
from roles as r;
select is(pg_temp.as_role(r.role, 'delete from pgagent.session_messages'), '42501')
from roles as r;

select * from finish();
rollback;
