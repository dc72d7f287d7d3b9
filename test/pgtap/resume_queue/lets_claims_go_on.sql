begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('a', '1', queue => 'q');
select pgagent.pause_queue('q');
select pgagent.claim_job('w1', 'q');

select ok(pgagent.resume_queue('q'), 'it was paused');
select is((select thread_id from pgagent.claim_job('w1', 'q')), 'a', 'at once');
select ok(not pgagent.resume_queue('q'), 'it was not');
select ok(not pgagent.resume_queue('unknown'), 'nor was one that nobody decided anything about');

select * from finish();
rollback;
