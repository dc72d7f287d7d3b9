-- All but those that people change.
begin;
select plan(2);

select is_empty($$
  select c.oid::regclass, o.option
  from pg_class as c
  cross join unnest('{
    autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000,
    autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000,
    vacuum_truncate=off
  }'::text[]) as o (option)
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'r'
    and c.relname not in ('settings', 'access_grants', 'session_data', 'job_schedules', 'queues')
    and not coalesce(o.option = any(c.reloptions), false)
$$, 'each table');
select is_empty($$
  select c.oid::regclass, o.option
  from pg_class as c
  left join pg_class as toast on toast.oid = c.reltoastrelid
  cross join unnest('{
    autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000,
    autovacuum_vacuum_cost_limit=2000, vacuum_truncate=off
  }'::text[]) as o (option)
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'r'
    and c.relname not in ('settings', 'access_grants', 'session_data', 'job_schedules', 'queues')
    and not coalesce(o.option = any(toast.reloptions), false)
$$, 'and its TOAST table');

select * from finish();
rollback;
