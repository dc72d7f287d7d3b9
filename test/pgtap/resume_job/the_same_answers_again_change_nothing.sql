begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');
select pgagent.resume_job(pg_temp.job('t'), '{"q": "yes"}');

select results_eq(
  $$select * from pgagent.resume_job(pg_temp.job('t'), '{"q": "yes"}')$$,
  $$values ('PENDING', 0::bigint)$$
);
select fencing_token from pgagent.claim_job('w2');
select results_eq(
  $$select * from pgagent.resume_job(pg_temp.job('t'), '{"q": "yes"}')$$,
  $$values ('IN_PROGRESS', 0::bigint)$$, 'nor later'
);
select is((select owner_token from pgagent.sessions), 2::bigint);

select * from finish();
rollback;
