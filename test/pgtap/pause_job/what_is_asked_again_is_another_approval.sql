begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": "first?"}');
select pgagent.decide_approval(pg_temp.approval('t'), 'respond', response => '"yes"');
select fencing_token from pgagent.claim_job('w2');
select pgagent.pause_job(pg_temp.job('t'), 2, '{"q": "second?"}');

select set_eq(
  'select question, status::text from pgagent.approvals',
  $$values ('"first?"'::jsonb, 'RESPONDED'), ('"second?"', 'PENDING')$$
);
select pgagent.decide_approval(pg_temp.approval('t'), 'respond', response => '"no"');
select is((select resume from pgagent.claim_job('w3')), '{"q": "no"}'::jsonb);

select * from finish();
rollback;
