-- Chooses the value of a setting, or with NULL goes back to its default. Repeating it is safe.
--
-- Returns: the value that holds now.
-- Locks:   the row of the setting.
-- Raises:  PA008 unknown name, or a value that is not of its type (an interval above 0, or one of
--          the words); PA009 a value that is too long; PA011 not a service role.
create function pgagent.set_setting(name text, value text)
returns text
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgagent._require_service();
  perform pgagent._check_name('name', set_setting.name);
  if not exists (select from pgagent.setting_defaults as d where d.name = set_setting.name) then
    perform pgagent._raise(
      'PA008', format('there is no setting named %s', set_setting.name), '',
      'select * from pgagent.setting_defaults;'
    );
  end if;
  if value is null then
    delete from pgagent.settings as s where s.name = set_setting.name;
  else
    perform pgagent._check_name(set_setting.name, value);
    perform pgagent._check_setting(set_setting.name, value);
    insert into pgagent.settings as s (name, value)
    values (set_setting.name, set_setting.value)
    on conflict on constraint settings_pkey do update
    set value = excluded.value, updated_at = pgagent._now();
  end if;
  return pgagent._setting(set_setting.name);
end
$$;

comment on function pgagent.set_setting(text, text) is
'Sets a site setting (null: back to the default) and returns the value that holds. Raises PA008 '
'for an unknown name.';

-- Raises PA008 unless a value is of the type of its setting.
create function pgagent._check_setting(name text, value text)
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if name = 'notify' then
    if value not in ('off', 'jobs', 'all') then
      perform pgagent._raise('PA008', 'notify wants off, jobs or all', format('value: %s', value));
    end if;
    return;
  end if;
  perform pgagent._check_interval(name, value::interval, true);
exception
  when invalid_datetime_format or datetime_field_overflow or interval_field_overflow then
    perform pgagent._raise('PA008', format('%s wants an interval', name), format('value: %s', value));
end
$$;

comment on function pgagent._check_setting(text, text) is
'Raises PA008 unless a value is of the type of its setting.';
