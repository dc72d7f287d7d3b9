-- For a schedule, when no worker asks.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', lease => '1 us');
select become('t_worker');
select is(pgagent.reap_expired(), 1::bigint);

select * from finish();
rollback;
