begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '{}', delay => '10 min');
select pgagent_test.advance('9 min');
select is_empty($$select * from pgagent.claim_job('w1')$$);
select pgagent_test.advance('2 min');
select isnt_empty($$select * from pgagent.claim_job('w1')$$);

select * from finish();
rollback;
