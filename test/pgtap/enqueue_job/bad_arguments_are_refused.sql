begin;
\ir ../_lib.sql
select plan(23);

select throws_ok('select pgagent.enqueue_job(' || c.arguments || ')', c.code, null, c.arguments)
from (
  values
  ('null, ''1''', 'PA008'),
  ('''t'', null', 'PA008'),
  ('''t'', to_jsonb(repeat(''x'', 1048576))', 'PA009'),
  ('''t'', ''1'', queue => null', 'PA008'),
  ('''t'', ''1'', queue => repeat(''x'', 256)', 'PA009'),
  ('''t'', ''1'', priority => null', 'PA008'),
  ('''t'', ''1'', priority => -1', 'PA008'),
  ('''t'', ''1'', priority => 10', 'PA008'),
  ('''t'', ''1'', delay => null', 'PA008'),
  ('''t'', ''1'', delay => ''-1 s''', 'PA008'),
  ('''t'', ''1'', delay => ''11 years''', 'PA008'),
  ('''t'', ''1'', config => null', 'PA008'),
  ('''t'', ''1'', config => ''[]''', 'PA008'),
  ('''t'', ''1'', config => jsonb_build_object(''x'', repeat(''x'', 16384))', 'PA009'),
  ('''t'', ''1'', idempotency_key => ''''', 'PA008'),
  ('''t'', ''1'', max_attempts => 0', 'PA008'),
  ('''t'', ''1'', max_attempts => null', 'PA008'),
  ('''t'', ''1'', timeout => ''0''', 'PA008'),
  ('''t'', ''1'', step_timeout => ''-1 s''', 'PA008'),
  ('''t'', ''1'', on_busy => null', 'PA008'),
  ('''t'', ''1'', on_busy => ''wait''', 'PA008'),
  ('''t'', ''1'', trace_id => ''''', 'PA008'),
  ('repeat(''x'', 1025), ''1''', 'PA009')
) as c (arguments, code);

select * from finish();
rollback;
