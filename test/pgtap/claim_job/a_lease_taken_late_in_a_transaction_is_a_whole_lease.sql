-- now() is the start of the transaction: by that clock this lease would be over at once.
begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '{}');
select pgagent_test.advance('1 hour');

select is((select lease_left from pgagent.claim_job('w1', lease => '1 s')), interval '1 s');
select cmp_ok(
  (select lease_expires_at from pgagent.agent_jobs), '>', pgagent._now() - interval '0.1 s'
);

select * from finish();
rollback;
