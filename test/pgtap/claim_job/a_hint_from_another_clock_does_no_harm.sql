-- Where the last claims ended is a setting that anybody may change.
begin;
\ir ../_lib.sql
select plan(8);

select pgagent.enqueue_job(n::text, '{}') from generate_series(1, 8) as n;
select pgagent.claim_jobs('w1', max_jobs => 8, lease => '1 us');
create function pg_temp.claim_with(hint text) returns boolean
language plpgsql volatile
as $$
begin
  perform set_config('pgagent._claims', hint, false);
  return exists (select from pgagent.claim_job('w2'));
end
$$;

select ok(pg_temp.claim_with(replace(h.hint, 'default', hashtextextended('default', 0)::text)), h.hint)
from (
  values
  (''), ('soon'), ('default='), ('default=1,2,3;'), ('default=a,0,0,0,0,0,0,0,0,0,0,0;'),
  ('default=99999999999999999999999,0,0,0,0,0,0,0,0,0,0,0;'),
  ('default=0,0,0,0,0,0,0,0,0,0,9999999999999999,0;'),
  ('default=9999999999999999,0,0,0,0,0,0,0,0,0,9999999999999999,9999999999999999;')
) as h (hint);

select * from finish();
rollback;
