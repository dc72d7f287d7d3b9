begin;
\ir ../_lib.sql
select plan(11);

select pg_temp.pause('t');

select throws_ok('select pgagent.decide_approval(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, ''approve''', 'PA008'),
  ('gen_random_uuid(), ''approve''', 'PA003'),
  ('pg_temp.approval(''t''), null', 'PA008'),
  ('pg_temp.approval(''t''), ''accept''', 'PA008'),
  ('pg_temp.approval(''t''), ''edit''', 'PA008'),
  ('pg_temp.approval(''t''), ''approve'', ''{"args": {"amount": 1}}''', 'PA008'),
  ('pg_temp.approval(''t''), ''respond''', 'PA008'),
  ('pg_temp.approval(''t''), ''respond'', response => ''1''', 'PA008'),
  ('pg_temp.approval(''t''), ''approve'', response => ''"x"''', 'PA008'),
  ('pg_temp.approval(''t''), ''reject'', reason => repeat(''x'', 1001)', 'PA009'),
  ('pg_temp.approval(''t''), ''approve'', decided_by => ''''', 'PA008')
) as c (arguments, code);

select * from finish();
rollback;
