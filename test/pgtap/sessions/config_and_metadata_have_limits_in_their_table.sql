-- Whatever function stores them.
begin;
\ir ../_lib.sql
select plan(4);

select pgagent.create_session('t');

select throws_ok(u.statement, '23514', null, u.statement)
from (
  values
  ('update pgagent.session_data set config = jsonb_build_object(''x'', repeat(''x'', 16384))'),
  ('update pgagent.session_data set metadata = jsonb_build_object(''x'', repeat(''x'', 16384))'),
  ('update pgagent.session_data set config = ''[]'''),
  ('update pgagent.session_data set metadata = ''1''')
) as u (statement);

select * from finish();
rollback;
