begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.pause('t');
select pg_temp.put('t', 'c2', null, 'update');

select results_eq(
  $$select * from pgagent.resume_job(pg_temp.job('t'), '{"anything": 1}')$$,
  $$values ('PENDING', 0::bigint)$$
);
select results_eq(
  $$select fencing_token, resume from pgagent.claim_job('w2')$$, $$values (2::bigint, null::jsonb)$$
);
select pgagent.pause_job(pg_temp.job('t'), 2, jsonb_build_object('q2', pg_temp.review('pay')));
select set_eq(
  'select interrupt_id::text, status::text from pgagent.approvals',
  $$values ('q', 'SUPERSEDED'), ('q2', 'PENDING')$$
);

select * from finish();
rollback;
