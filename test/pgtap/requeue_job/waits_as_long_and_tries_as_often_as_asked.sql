begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('t', '{}', max_attempts => 1);
select pgagent.cancel_job(pg_temp.job('t'));
select pgagent.requeue_job(pg_temp.job('t'), delay => '10 s', max_attempts => 2);

select is(pg_temp.next(), null);
select pgagent_test.advance('11 s');
select is((select max_attempts from pgagent.claim_job('w1')), 2);
select is(pgagent.fail_job(pg_temp.job('t'), 1, '1', retry_in => '0'), 'PENDING');
select fencing_token from pgagent.claim_job('w1');
select is(pgagent.fail_job(pg_temp.job('t'), 2, '1'), 'FAILED');

select * from finish();
rollback;
