-- Its token never comes back, whatever became of the job.
begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('t', '{}', max_attempts => 1);
select fencing_token from pgagent.claim_job('w1');
select pgagent_test.advance('61 s');
select pgagent.reap_expired();
select pgagent.requeue_job(pg_temp.job('t'));

select throws_ok('select pgagent.complete_job(pg_temp.job(''t''), 1)', 'PA002');
select throws_ok('select pgagent.renew_lease(pg_temp.job(''t''), 1)', 'PA002');
select is((select fencing_token from pgagent.claim_job('w2')), 2::bigint);
select throws_ok('select pgagent.append_event(''t'', ''late'', null, 1)', 'PA002');

select * from finish();
rollback;
