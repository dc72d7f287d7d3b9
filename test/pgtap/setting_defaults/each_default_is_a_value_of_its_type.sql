begin;
\ir ../_lib.sql
select plan((select count(*)::integer from pgagent.setting_defaults));

select lives_ok(
  format('select pgagent.set_setting(%L, %L)', d.name, d.default_value), d.name
)
from pgagent.setting_defaults as d;

select * from finish();
rollback;
