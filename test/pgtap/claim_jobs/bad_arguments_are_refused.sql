begin;
\ir ../_lib.sql
select plan(10);

select throws_ok('select pgagent.claim_jobs(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null', 'PA008'),
  ('''w1'', null', 'PA008'),
  ('''w1'', ''{}''', 'PA008'),
  ('''w1'', ''{NULL}''', 'PA008'),
  ('''w1'', ''{a,""}''', 'PA008'),
  ('''w1'', ''{{a,b}}''', 'PA008'),
  ('''w1'', array(select ''q'' || n from generate_series(0, 100) as n)', 'PA009'),
  ('''w1'', max_jobs => 0', 'PA008'),
  ('''w1'', max_jobs => null', 'PA008'),
  ('''w1'', max_jobs => 1001', 'PA009')
) as c (arguments, code);

select * from finish();
rollback;
