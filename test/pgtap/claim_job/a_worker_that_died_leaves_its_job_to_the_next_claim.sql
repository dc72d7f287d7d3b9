-- No timer and no schedule: the row stays as it is until somebody asks.
begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '{}');
select fencing_token from pgagent.claim_job('w1');
select md5(j::text) as before from pgagent.agent_jobs as j \gset
select pgagent_test.advance('8 hours');

select is((select md5(j::text) from pgagent.agent_jobs as j), :'before');
select is((select fencing_token from pgagent.claim_job('w2')), 2::bigint);

select * from finish();
rollback;
