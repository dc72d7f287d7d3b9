-- The only place that speaks to pg_cron. Its functions are called by text, so that nothing here
-- needs it to be there, and only when they belong to the extension: a schema named cron that
-- somebody else made would run its code with the owner's rights.

-- Whether pg_cron can be used from this database.
create function pgagent._has_cron()
returns boolean
language sql
stable
begin atomic
  select count(*) > 0
  from pg_extension as e
  join pg_depend as d
    on
      d.refclassid = 'pg_extension'::regclass
      and d.refobjid = e.oid
      and d.deptype = 'e'
      and d.classid = 'pg_proc'::regclass
  join pg_proc as p on d.objid = p.oid
  join pg_namespace as n on p.pronamespace = n.oid
  where
    e.extname = 'pg_cron'
    and n.nspname = 'cron'
    and p.proname = 'schedule'
    and oidvectortypes(p.proargtypes) = 'text, text, text';
end;

comment on function pgagent._has_cron() is 'Whether pg_cron 1.4 or later is in this database.';

-- Lets pg_cron run a command in this database on a schedule, as the owner of the schema pgagent.
--
-- name:    a second call with the same name changes the first's schedule and command.
-- Raises:  PA003 there is no pg_cron in this database; PA011 the owner may not use it.
create function pgagent._cron_schedule(name text, schedule text, command text)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if not pgagent._has_cron() then
    perform pgagent._raise(
      'PA003', 'pg_cron is not installed in this database', format('command: %s', command),
      format(
        'Any scheduler will do that calls the same once a minute; it may be late, early or twice: '
        'a systemd timer, cron (* * * * * psql -d %1$s -c "%2$s"), or pg_cron in its own database: '
        'select cron.schedule_in_database(%3$L, ''* * * * *'', %2$L, %1$L); '
        'For jobs: schedule_job(..., scheduler => ''external'').',
        current_database(), command, 'pgagent ' || name
      )
    );
  end if;
  if not has_schema_privilege(current_user, 'cron', 'usage') then
    perform pgagent._raise(
      'PA011', 'the owner of the schema pgagent may not use pg_cron',
      format('role: %s', current_user),
      format('As superuser: grant usage on schema cron to %I;', current_user)
    );
  end if;
  execute format('select %I.schedule($1, $2, $3)', 'cron')
  using 'pgagent ' || name, schedule, command;
end
$$;

comment on function pgagent._cron_schedule(text, text, text) is
'Lets pg_cron run a command on a schedule, or says how any other scheduler can.';

-- Ends what _cron_schedule began.
--
-- Returns: whether there was anything.
create function pgagent._cron_unschedule(name text)
returns boolean
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job bigint;
begin
  if not pgagent._has_cron() or not has_schema_privilege(current_user, 'cron', 'usage') then
    return false;
  end if;
  execute format(
    'select j.jobid from %I.job as j where j.jobname = $1 and j.username = $2', 'cron'
  )
  into v_job
  using 'pgagent ' || name, current_user::text;
  if v_job is null then
    return false;
  end if;
  execute format('select %I.unschedule($1)', 'cron') using v_job;
  return true;
end
$$;

comment on function pgagent._cron_unschedule(text) is 'Takes back what _cron_schedule did.';
