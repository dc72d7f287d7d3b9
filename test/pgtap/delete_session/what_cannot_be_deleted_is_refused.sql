begin;
\ir ../_lib.sql
select plan(5);

select pgagent.create_session('a');
update pgagent.agent_sessions set status = 'ARCHIVED';

select throws_ok(format('select pgagent.delete_session(%s)', c.argument), c.code, null, c.argument)
from (
  values
  ('null', 'PA008'), ('''''', 'PA008'), ('repeat(''x'', 1025)', 'PA009'), ('''u''', 'PA003'),
  ('''a''', 'PA006')
) as c (argument, code);

select * from finish();
rollback;
