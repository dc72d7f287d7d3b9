begin;
\ir ../_lib.sql
select plan(3);

select pgagent.start_run(n::text, 'w1', lease => '1 us') from generate_series(1, 5) as n;

select is(pgagent.reap_expired(2), 2::bigint);
select is(pgagent.reap_expired(2), 2::bigint);
select is(pgagent.reap_expired(2), 1::bigint);

select * from finish();
rollback;
