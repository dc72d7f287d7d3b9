-- As numbers, since checks are prepared anew in each statement: a call of an SQL function in one is
-- work each time. The rows that every call updates are checked by a compiled function, and those
-- limits where the arguments are.
begin;
\ir ../_lib.sql
select plan(5);

create temporary table checks as
select c.conname::text as name, c.oid, pg_get_constraintdef(c.oid) as definition
from pg_catalog.pg_constraint as c
where c.contype = 'c' and c.connamespace = 'pgagent'::regnamespace;

select set_eq(
  $$
    select c.name, p.proname::text, l.lanname::text
    from checks as c
    join pg_catalog.pg_depend as d
      on d.classid = 'pg_constraint'::regclass and d.objid = c.oid
      and d.refclassid = 'pg_proc'::regclass
    join pg_catalog.pg_proc as p
      on p.oid = d.refobjid and p.pronamespace = 'pgagent'::regnamespace
    join pg_catalog.pg_language as l on l.oid = p.prolang
  $$,
  $$
    values
    ('agent_jobs_row_is_whole', '_is_whole_job', 'plpgsql'),
    ('agent_sessions_row_is_whole', '_is_whole_session', 'plpgsql')
  $$,
  'none else calls ours'
);
select set_eq(
  $$select name from checks where name like '%\_fits'$$,
  array['queues_queue_fits', 'session_data_config_fits', 'session_data_metadata_fits']
);
select is_empty(
  $$
    select v.name, l.value, c.definition
    from (
      values
      ('queues_queue_fits', 'name'),
      ('session_data_config_fits', 'config'),
      ('session_data_metadata_fits', 'metadata')
    ) as v (name, limit_name)
    left join pgagent.limits as l on l.name = v.limit_name
    left join checks as c on c.name = v.name
    where c.definition ~ format('<= %s\)', l.value) is not true
  $$
);

select throws_ok(
  format('insert into pgagent.agent_sessions (thread_id, user_id) values (%L, %L)', t.id, t.owner),
  '23514', null, 'thread_id and user_id fit'
)
from (
  values (repeat('x', (select value::integer + 1 from pgagent.limits where name = 'thread_id')), 'u')
, ('t', repeat('x', (select value::integer + 1 from pgagent.limits where name = 'name')))
) as t (id, owner);

select * from finish();
rollback;
