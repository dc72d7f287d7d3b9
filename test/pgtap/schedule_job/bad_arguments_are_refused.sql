begin;
\ir ../_lib.sql
select plan(7);

create function pg_temp.schedule(arguments text) returns text
language sql volatile
as $$select format('select pgagent.schedule_job(%s, scheduler => ''external'')', arguments)$$;

select throws_ok(pg_temp.schedule(c.arguments), c.code, null, c.arguments)
from (
  values
  ($$'', '@daily', 't', '{}'$$, 'PA008'),
  ($$'s', 'soon', 't', '{}'$$, 'PA008'),
  ($$'s', '0 0 30 2 *', 't', '{}'$$, 'PA008'),
  ($$'s', '@daily', repeat('x', 1010) || '{tick}', '{}'$$, 'PA009'),
  ($$'s', '@daily', 't', null$$, 'PA008'),
  ($$'s', '@daily', 't', '{}', on_busy => 'wait'$$, 'PA008')
) as c (arguments, code);
select throws_ok($$select pgagent.schedule_job('s', '@daily', 't', '{}', scheduler => 'x')$$, 'PA008');

select * from finish();
rollback;
