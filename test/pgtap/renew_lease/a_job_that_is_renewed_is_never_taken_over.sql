begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', lease => '2 s');
create function pg_temp.beat() returns bigint
language plpgsql volatile
as $$
begin
  perform pgagent_test.advance('1.5 s');
  perform pgagent.renew_lease(pg_temp.job('t'), 1);
  return (select count(*) from pgagent.claim_job('w2'));
end
$$;

select is((select sum(pg_temp.beat()) from generate_series(1, 20)), 0::numeric);
select is((select owner_token from pgagent.sessions), 1::bigint);

select * from finish();
rollback;
