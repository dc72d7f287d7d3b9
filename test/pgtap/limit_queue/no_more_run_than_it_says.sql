begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('t' || n, '1') from generate_series(1, 5) as n;
select pgagent.limit_queue('default', 2);

select results_eq(
  $$select thread_id from pgagent.claim_jobs('w1', max_jobs => 5)$$, '{t1,t2}'::text[],
  'of a batch as many as there are places'
);
select is(pg_temp.next(), null);
select pgagent.complete_job(pg_temp.job('t1'), 1);
select is(pg_temp.next(), 't3', 'the place of an ended one is free');
select is(pg_temp.next(), null);

select * from finish();
rollback;
