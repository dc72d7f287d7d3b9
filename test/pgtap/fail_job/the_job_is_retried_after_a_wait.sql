begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');

select is(pgagent.fail_job(pg_temp.job('t'), 1, '{"message": "no"}'), 'PENDING');
select results_eq(
  'select status, error, attempt, lease_owner from pgagent.agent_jobs',
  $$
    values (
      'PENDING' collate "C", '{"message": "no"}'::jsonb, 1, null::text collate "C"
    )
  $$
);
select is_empty($$select * from pgagent.claim_job('w2')$$, 'not at once');
select pgagent_test.advance('2 s');
select results_eq(
  $$select attempt, fencing_token from pgagent.claim_job('w2')$$, $$values (2, 2::bigint)$$
);

select * from finish();
rollback;
