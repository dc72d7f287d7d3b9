begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1, "r": 2}');

select results_eq(
  $$select * from pgagent.resume_job(pg_temp.job('t'), '{"q": "yes"}')$$,
  $$values ('AWAITING_HUMAN', 1::bigint)$$
);
select is_empty($$select * from pgagent.claim_job('w2')$$);
select results_eq(
  $$select * from pgagent.resume_job(pg_temp.job('t'), '{"r": null}')$$,
  $$values ('PENDING', 0::bigint)$$
);
select results_eq(
  $$select resume, fencing_token, attempt from pgagent.claim_job('w2')$$,
  $$values ('{"q": "yes", "r": null}'::jsonb, 2::bigint, 1)$$
);

select * from finish();
rollback;
