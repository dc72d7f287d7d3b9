-- The last time at or before a moment that a schedule names: minute, hour, day of month, month and
-- day of week, as cron and pg_cron understand them, in UTC. Every scheduler that calls late, early
-- or twice is given the same tick.
--
-- Returns: the tick; null for a day that never comes, such as 30 February.
-- Raises:  PA008 it is no schedule.
create function pgagent._cron_tick(schedule text, moment timestamptz)
returns timestamptz
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_fields text[] := regexp_split_to_array(
    case lower(btrim(schedule))
      when '@yearly' then '0 0 1 1 *'
      when '@annually' then '0 0 1 1 *'
      when '@monthly' then '0 0 1 * *'
      when '@weekly' then '0 0 * * 0'
      when '@daily' then '0 0 * * *'
      when '@midnight' then '0 0 * * *'
      when '@hourly' then '0 * * * *'
      else lower(btrim(schedule))
    end,
    '\s+'
  );
  v_minutes integer[];
  v_hours integer[];
  v_days integer[];
  v_months integer[];
  v_weekdays integer[];
  v_day date := (moment at time zone 'UTC')::date;
  v_latest integer := extract(hour from moment at time zone 'UTC') * 60
    + extract(minute from moment at time zone 'UTC');
  v_minute integer;
  v_on_day boolean;
  v_on_weekday boolean;
begin
  if cardinality(v_fields) is distinct from 5 then
    perform pgagent._raise_schedule(schedule);
  end if;
  v_minutes := pgagent._cron_field(v_fields[1], 0, 59, '{}', schedule);
  v_hours := pgagent._cron_field(v_fields[2], 0, 23, '{}', schedule);
  v_days := pgagent._cron_field(v_fields[3], 1, 31, '{}', schedule);
  v_months := pgagent._cron_field(
    v_fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}', schedule
  );
  v_weekdays := pgagent._cron_field(
    v_fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}', schedule
  );

  for v_back in 0..3000 loop  -- 29 February comes again within eight years
    v_on_day := extract(day from v_day) = any(v_days);
    v_on_weekday := extract(dow from v_day) = any(v_weekdays)
      or extract(isodow from v_day) = any(v_weekdays);
    if extract(month from v_day) = any(v_months) and (
      -- When both say something, cron takes either.
      case
        when left(v_fields[3], 1) = '*' or left(v_fields[5], 1) = '*'
          then v_on_day and v_on_weekday
        else v_on_day or v_on_weekday
      end
    ) then
      select max(h.hour * 60 + m.minute) into v_minute
      from unnest(v_hours) as h (hour)
      cross join unnest(v_minutes) as m (minute)
      where h.hour * 60 + m.minute <= v_latest;
      if v_minute is not null then
        return (v_day + make_interval(mins => v_minute)) at time zone 'UTC';
      end if;
    end if;
    v_day := v_day - 1;
    v_latest := 1439;
  end loop;
  return null;
end
$$;

comment on function pgagent._cron_tick(text, timestamptz) is
'The last time at or before a moment that a cron schedule names.';

-- The numbers that a field of a schedule stands for: *, 5, 1-5, */15, 10-40/10, lists of these, and
-- names, which count from the lowest.
create function pgagent._cron_field(
  field text, lowest integer, highest integer, names text[], schedule text
)
returns integer[]
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_part text;
  v_match text[];
  v_from integer;
  v_to integer;
  v_numbers integer[] := '{}'::integer[];
begin
  foreach v_part in array string_to_array(field, ',') loop
    v_match := regexp_match(
      v_part, '^(?:(\*)|(\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?)(?:/(\d{1,2}))?$'
    );
    if v_match is null then
      perform pgagent._raise_schedule(schedule);
    end if;
    v_from := case
      when v_match[1] is not null then lowest
      when v_match[2] ~ '^\d' then v_match[2]::integer
      else array_position(names, v_match[2]) - 1 + lowest
    end;
    v_to := case
      when v_match[1] is not null then highest
      when v_match[3] is null then v_from
      when v_match[3] ~ '^\d' then v_match[3]::integer
      else array_position(names, v_match[3]) - 1 + lowest
    end;
    if (v_from >= lowest and v_to <= highest and v_from <= v_to) is not true
      or v_match[4]::integer = 0
      or (v_match[4] is not null and v_match[1] is null and v_match[3] is null) then
      perform pgagent._raise_schedule(schedule);
    end if;
    v_numbers := v_numbers
      || array(select generate_series(v_from, v_to, coalesce(v_match[4]::integer, 1)));
  end loop;
  if v_numbers = '{}' then
    perform pgagent._raise_schedule(schedule);
  end if;
  return v_numbers;
end
$$;

comment on function pgagent._cron_field(text, integer, integer, text[], text) is
'The numbers that one field of a cron schedule stands for.';

create function pgagent._raise_schedule(schedule text)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._raise(
    'PA008', 'this is no schedule', format('schedule: %s', coalesce(left(schedule, 100), 'null')),
    'minute, hour, day of month, month, day of week, in UTC: ''30 4 * * mon-fri'', ''*/15 * * * *'''
    ', or @hourly, @daily, @weekly, @monthly, @yearly. Seconds are not possible.'
  );
end
$$;

comment on function pgagent._raise_schedule(text) is 'Raises PA008 for what is no schedule.';
