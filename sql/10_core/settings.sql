-- Site settings: the defaults, and the value that holds.

create view pgagent.setting_defaults with (security_invoker = true) as
select
  d.name,
  d.default_value,
  d.meaning
from (
  values
  (
    'retry_base',
    '1 s',
    'interval: wait before the first retry of a failed job; each further one doubles it'
  ),
  ('retry_cap', '5 min', 'interval: the longest wait between two retries'),
  (
    'notify',
    'off',
    'off, jobs or all: whether NOTIFY hints that jobs became claimable; all: and that they ended'
  )
) as d (name, default_value, meaning);

comment on view pgagent.setting_defaults is 'The settings there are, with their defaults.';
comment on column pgagent.setting_defaults.name is 'Name of the setting.';
comment on column pgagent.setting_defaults.default_value is
'What holds while the site has chosen nothing else.';
comment on column pgagent.setting_defaults.meaning is 'Type and meaning.';

create function pgagent._setting(name text)
returns text
language sql
stable
parallel safe
begin atomic
  select coalesce(
    (
      select s.value
      from pgagent.settings as s
      where s.name = _setting.name
    ),
    (
      select d.default_value
      from pgagent.setting_defaults as d
      where d.name = _setting.name
    )
  );
end;

comment on function pgagent._setting(text) is
'The value of a setting: the choice of the site, else the default.';
