begin;
\ir ../_lib.sql
select plan(6);

select pgagent.create_session('t');
select pgagent.record_usage('t', 'k', 1, 2, 3, 'm', '{"cached": 1}');

select throws_ok(
  format('select pgagent.record_usage(''t'', ''k'', %s)', u.figures), 'PA004', null, u.figures
)
from (
  values
  ('2, 2, 3, ''m'', ''{"cached": 1}'''), ('1, 3, 3, ''m'', ''{"cached": 1}'''),
  ('1, 2, 4, ''m'', ''{"cached": 1}'''), ('1, 2, 3, ''n'', ''{"cached": 1}'''),
  ('1, 2, 3, ''m'', ''{"cached": 2}'''), ('1, 2, null, ''m'', ''{"cached": 1}''')
) as u (figures);

select * from finish();
rollback;
