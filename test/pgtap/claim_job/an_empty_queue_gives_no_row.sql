begin;
\ir ../_lib.sql
select plan(3);

select is_empty($$select * from pgagent.claim_job('w1')$$);
select pgagent.enqueue_job('t', '{}', queue => 'other');
select is_empty($$select * from pgagent.claim_job('w1')$$, 'nor does another queue');
select isnt_empty($$select * from pgagent.claim_job('w1', queue => 'other')$$);

select * from finish();
rollback;
