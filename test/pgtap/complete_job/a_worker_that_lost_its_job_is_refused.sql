begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', lease => '1 us');
select fencing_token from pgagent.claim_job('w2');

select throws_ok($$select pgagent.complete_job(pg_temp.job('t'), 1)$$, 'PA002');
select is((select lease_owner from pgagent.agent_jobs), 'w2' collate "C");

select * from finish();
rollback;
