begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent_test.advance('61 s');
select fencing_token from pgagent.claim_job('w2');
select lease_expires_at as before from pgagent.agent_jobs \gset
select pgagent_test.advance('1 s');

select throws_ok($$select pgagent.renew_lease(pg_temp.job('t'), 1)$$, 'PA002');
select is((select lease_expires_at from pgagent.agent_jobs), :'before'::timestamptz);

select * from finish();
rollback;
