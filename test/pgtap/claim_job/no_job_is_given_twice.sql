begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '{}');
select pgagent.enqueue_job('u', '{}');

select is((select thread_id from pgagent.claim_job('w1')), 't');
select is((select thread_id from pgagent.claim_job('w2')), 'u');
select is_empty($$select * from pgagent.claim_job('w3')$$);

select * from finish();
rollback;
