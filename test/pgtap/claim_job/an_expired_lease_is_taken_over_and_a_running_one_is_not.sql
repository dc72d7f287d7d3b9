begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t', '{}');
select pgagent.claim_job('w1', lease => '2 s');
select pgagent_test.advance('1 s');
select is_empty($$select * from pgagent.claim_job('w2')$$);
select pgagent_test.advance('1.1 s');

select results_eq(
  $$select job_id = pg_temp.job('t'), fencing_token, attempt from pgagent.claim_job('w2')$$,
  $$values (true, 2::bigint, 2)$$
);
select is((select lease_owner from pgagent.agent_jobs), 'w2' collate "C");

select * from finish();
rollback;
