-- Policies protect, they do not find: the query names the owner itself.
begin;
\ir ../_lib.sql
select plan(2);

insert into pgagent.agent_sessions (thread_id, user_id, active_hour)
select n::text, (n % 100)::text, now() - n * interval '1 hour' from generate_series(1, 20000) as n;
analyze pgagent.agent_sessions;
select become('t_tenant');
set local pgagent.user_id = '3';
create temporary table plan (line text);
do $$
declare
  v_line text;
begin
  for v_line in execute
    'explain select * from pgagent.agent_sessions where user_id = ''3'' '
    'order by active_hour desc limit 20'
  loop
    insert into plan values (v_line);
  end loop;
end
$$;

select matches((select string_agg(line, ' ') from plan), 'agent_sessions_by_owner');
select doesnt_match((select string_agg(line, ' ') from plan), 'Sort|Seq Scan');

select * from finish();
rollback;
