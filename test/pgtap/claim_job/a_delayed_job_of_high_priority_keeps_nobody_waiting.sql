begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('a', '{}', priority => 9, delay => '1 hour');
select pgagent.enqueue_job('b', '{}');

select is((select thread_id from pgagent.claim_job('w1')), 'b');

select * from finish();
rollback;
