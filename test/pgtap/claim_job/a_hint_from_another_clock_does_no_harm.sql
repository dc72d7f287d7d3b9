-- When this backend last took back expired leases is a setting that anybody may change.
begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job(n::text, '{}') from generate_series(1, 4) as n;
select pgagent.claim_jobs('w1', max_jobs => 4, lease => '1 us');
create function pg_temp.claim_with(hint text) returns boolean
language plpgsql volatile
as $$
begin
  perform set_config('pgagent._claims', hint, false);
  return exists (select from pgagent.claim_job('w2'));
end
$$;

select ok(pg_temp.claim_with(h.hint), h.hint)
from (
  values (''), ('soon'), ('9999999999999999'), ('99999999999999999999999')
) as h (hint);

select * from finish();
rollback;
