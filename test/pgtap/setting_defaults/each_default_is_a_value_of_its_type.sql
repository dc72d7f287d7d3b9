begin;
\ir ../_lib.sql
select plan(2);

select lives_ok(
  format('select pgagent.set_setting(%L, %L)', d.name, d.default_value), d.name
)
from pgagent.setting_defaults as d;

select * from finish();
rollback;
