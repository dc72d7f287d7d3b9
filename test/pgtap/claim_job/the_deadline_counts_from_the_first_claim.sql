begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '{}', timeout => '1 hour');
select fencing_token from pgagent.claim_job('w1');
select pgagent_test.advance('50 min');

select is(
  (select date_trunc('minute', deadline_left + interval '30 s') from pgagent.claim_job('w2')),
  interval '10 min'
);

select * from finish();
rollback;
