-- As numbers, since checks are prepared anew in each statement: a call in one is work each time.
begin;
\ir ../_lib.sql
select plan(3);

create temporary table checks as
select c.conname::text as name, pg_get_constraintdef(c.oid) as definition
from pg_catalog.pg_constraint as c
where c.contype = 'c' and c.connamespace = 'pgagent'::regnamespace;

select is_empty($$select name from checks where definition like '%pgagent.%'$$, 'none calls ours');
select set_eq(
  $$select name from checks where name like '%\_fits'$$,
  array[
    'agent_sessions_thread_id_fits', 'agent_sessions_user_id_fits', 'session_data_config_fits',
    'session_data_metadata_fits'
  ]
);
select is_empty(
  $$
    select v.name, l.value, c.definition
    from (
      values
      ('agent_sessions_thread_id_fits', 'thread_id'),
      ('agent_sessions_user_id_fits', 'name'),
      ('session_data_config_fits', 'config'),
      ('session_data_metadata_fits', 'metadata')
    ) as v (name, limit_name)
    left join pgagent.limits as l on l.name = v.limit_name
    left join checks as c on c.name = v.name
    where c.definition ~ format('<= %s\)', l.value) is not true
  $$
);

select * from finish();
rollback;
