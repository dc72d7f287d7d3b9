begin;
\ir ../_lib.sql
select plan(17);

\set trace '0af7651916cd43dd8448eb211c80319c'
\set span 'b7ad6b7169203331'

create function pg_temp.enqueue(traceparent text)
returns void
language sql
as $$
  select from pgagent.enqueue_job('t', '1', traceparent => traceparent)
$$;

select lives_ok(format('select pg_temp.enqueue(%L)', g.given), g.given)
from (
  values
  ('00-' || :'trace' || '-' || :'span' || '-00'),
  ('00-' || :'trace' || '-' || :'span' || '-ff'),
  ('01-' || :'trace' || '-' || :'span' || '-01'),
  ('cc-' || :'trace' || '-' || :'span' || '-01-what.later.versions say')
) as g (given);

select throws_ok(
  format('select pg_temp.enqueue(%L)', b.given), b.code, null, left(b.given, 80)
)
from (
  values
  ('', 'PA008'),
  ('00', 'PA008'),
  (:'trace', 'PA008'),
  ('ff-' || :'trace' || '-' || :'span' || '-01', 'PA008'),
  ('0-' || :'trace' || '-' || :'span' || '-01', 'PA008'),
  ('00-' || upper(:'trace') || '-' || :'span' || '-01', 'PA008'),
  ('00-' || repeat('0', 32) || '-' || :'span' || '-01', 'PA008'),
  ('00-' || :'trace' || '-' || repeat('0', 16) || '-01', 'PA008'),
  ('00-' || :'trace' || '-' || :'span' || '-1', 'PA008'),
  ('00-' || :'trace' || '-' || :'span' || '-01-more', 'PA008'),
  ('01-' || :'trace' || '-' || :'span' || '-01more', 'PA008'),
  (' 00-' || :'trace' || '-' || :'span' || '-01', 'PA008'),
  ('cc-' || :'trace' || '-' || :'span' || '-01-' || repeat('x', 255), 'PA009')
) as b (given, code);

select * from finish();
rollback;
