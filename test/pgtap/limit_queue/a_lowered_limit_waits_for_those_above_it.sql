begin;
\ir ../_lib.sql
select plan(7);

select pgagent.enqueue_job('t' || n, '1') from generate_series(1, 6) as n;
select pgagent.claim_jobs('w1', max_jobs => 3);

select is(pgagent.limit_queue('default', 2), 3::bigint, 'those that run already count');
select is(pg_temp.next(), null);
select pgagent.complete_job(pg_temp.job('t1'), 1);
select is(pg_temp.next(), null, 'two run');
select pgagent.complete_job(pg_temp.job('t2'), 1);
select pgagent.complete_job(pg_temp.job('t3'), 1);
select is(pg_temp.next(), 't4');
select is(pg_temp.next(), 't5');
select is(pg_temp.next(), null);
select pgagent.limit_queue('default');
select is(pg_temp.next(), 't6', 'without a limit');

select * from finish();
rollback;
