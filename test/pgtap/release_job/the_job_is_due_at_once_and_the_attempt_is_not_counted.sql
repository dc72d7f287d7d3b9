begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');

select is(pgagent.release_job(pg_temp.job('t'), 1), 'PENDING');
select results_eq(
  $$select attempt, fencing_token from pgagent.claim_job('w2')$$, $$values (1, 2::bigint)$$
);

select * from finish();
rollback;
