-- Or the run would wait for an answer that resume_job takes for given.
begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1, "r": 1}');
select pgagent.resume_job(pg_temp.job('t'), '{"q": "yes", "r": "yes"}');
select fencing_token from pgagent.claim_job('w2');
select pgagent.pause_job(pg_temp.job('t'), 2, '{"q": 2}');

select results_eq(
  $$select * from pgagent.resume_job(pg_temp.job('t'), '{"q": "no"}')$$,
  $$values ('PENDING', 0::bigint)$$
);
select is(
  (select resume from pgagent.claim_job('w3')), '{"q": "no", "r": "yes"}'::jsonb,
  'other answers stay'
);

select * from finish();
rollback;
