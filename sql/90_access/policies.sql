-- Row security, on every table. A policy admits service roles, and the rows of threads that the
-- tenant owns; without either, nothing. Enabled and not forced: the owner of the schema, whose
-- rights the writing functions have, is not bound by it; they check their caller themselves.
--
-- Policies protect, they do not find: what a tenant may list repeats `user_id = _tenant()` itself.
-- The privilege is asked once a statement, in a sub-select. The owner is looked up for each row by
-- the thread's key: an `exists` may be planned as a hash of all the threads that the tenant owns.

alter table pgagent.settings enable row level security;
create policy everybody_granted on pgagent.settings for select using (true);

alter table pgagent.access_grants enable row level security;
create policy everybody_granted on pgagent.access_grants for select using (true);

-- What an operator decided about queues concerns everybody; the places of limited queues name
-- owners.
alter table pgagent.queues enable row level security;
create policy everybody_granted on pgagent.queues for select using (true);

alter table pgagent.queue_slots enable row level security;
create policy services on pgagent.queue_slots for select using (
  (select has_function_privilege('pgagent._service()'::regprocedure, 'execute'))
);

alter table pgagent.agent_sessions enable row level security;
create policy own_threads on pgagent.agent_sessions for select using (
  (select has_function_privilege('pgagent._service()'::regprocedure, 'execute'))
  or user_id = (select pgagent._tenant())
);

-- Schedules are no thread's: service roles alone see them.
alter table pgagent.job_schedules enable row level security;
create policy service_roles on pgagent.job_schedules for select using (
  (select has_function_privilege('pgagent._service()'::regprocedure, 'execute'))
);

do $$
declare
  v_table regclass;
begin
  for v_table in select t.relation from pgagent._thread_tables() as t loop
    execute format('alter table %s enable row level security', v_table);
    execute format(
      'create policy own_threads on %s for select using (
        (select has_function_privilege(''pgagent._service()''::regprocedure, ''execute''))
        or (select s.user_id from pgagent.agent_sessions as s where s.thread_id = %s.thread_id)
          = (select pgagent._tenant())
      )', v_table, v_table
    );
  end loop;
end
$$;
