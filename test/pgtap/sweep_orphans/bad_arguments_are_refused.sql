begin;
\ir ../_lib.sql
select plan(9);

select throws_ok(
  format('select pgagent.sweep_orphans(%s)', c.argument), c.code, null, c.argument
)
from (
  values
  ('null', 'PA008'), ('''-1 s''', 'PA008'), ('''11 years''', 'PA008'),
  ('max_threads => null', 'PA008'), ('max_threads => 0', 'PA008'),
  ('max_threads => 1001', 'PA009'), ('after_thread => ''''', 'PA008'),
  ('after_thread => repeat(''x'', 1025)', 'PA009'), ('dry_run => null', 'PA008')
) as c (argument, code);

select * from finish();
rollback;
