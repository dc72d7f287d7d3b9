begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('low', '1', queue => 'a');
select pgagent.enqueue_job('late', '1', queue => 'b', priority => 5);
select pgagent.enqueue_job('early', '1', queue => 'a', priority => 5);
select pgagent.enqueue_job('high', '1', queue => 'b', priority => 9);
select pgagent.limit_queue('a', 10);

select results_eq(
  $$select thread_id from pgagent.claim_jobs('w1', '{a,b}', 9)$$, '{high,early,late,low}'::text[]
);

select * from finish();
rollback;
