begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '{}', queue => 'a');
select pgagent.enqueue_job('u', '{}', queue => 'b');

select results_eq(
  $$select thread_id from pgagent.claim_jobs('w1', '{b}', 10)$$, array['u']
);

select * from finish();
rollback;
