begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('a', '1', queue => 'q');
select pgagent.enqueue_job('b', '1', queue => 'other');
select pgagent.pause_queue('q', 'me');

select is_empty($$select from pgagent.claim_job('w1', 'q')$$);
select results_eq(
  $$select thread_id from pgagent.claim_jobs('w1', '{q,other}', 2)$$, array['b'],
  'other queues of the same claim go on'
);
select results_eq(
  $$select paused_by, paused_at is not null from pgagent.queues$$,
  $$values ('me' collate "C", true)$$
);
select lives_ok($$select pgagent.enqueue_job('c', '1', queue => 'q')$$, 'jobs may be enqueued');

select * from finish();
rollback;
